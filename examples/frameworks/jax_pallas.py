"""A JAX Pallas kernel whose programs all write one block of the result.

    warprace run --gpu -- python3 examples/frameworks/jax_pallas.py [--fixed]
"""
import os
import sys

# XLA then starts ptxas, which warprace sees, and has no compiler of its own at work.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_enable_libnvptxcompiler=false"

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

FIXED = "--fixed" in sys.argv
BLOCK = 256


def scale(x, out):
    out[...] = x[...] * 2


@jax.jit
def doubled(x):
    grid = x.size // BLOCK
    shape = x.size if FIXED else BLOCK
    return pl.pallas_call(
        scale,
        grid=(grid,),
        in_specs=[pl.BlockSpec((BLOCK,), lambda i: (i,))],
        out_specs=pl.BlockSpec((BLOCK,), lambda i: (i if FIXED else 0,)),
        out_shape=jax.ShapeDtypeStruct((shape,), x.dtype),
        compiler_params=plgpu.CompilerParams(num_warps=4),
    )(x)


x = jnp.arange(1 << 14, dtype=jnp.float32)
for _ in range(3):
    y = doubled(x).block_until_ready()
print("sum", float(y.sum()))
