"""A JAX (Pallas) kernel whose programs add their parts to one block by load and store.

    warprace run --gpu -- python3 examples/frameworks/jax_sum.py [--fixed]
"""
import functools
import sys

import jax
import jax.numpy as jnp
import numpy
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

PARTS, LENGTH = 64, 1024


def add_up(part, _, total):
    if "--fixed" in sys.argv:
        plgpu.atomic_add(total, (pl.ds(0, LENGTH),), part[...])
    else:
        total[...] = total[...] + part[...]  # other programs do so, too


whole = pl.BlockSpec((LENGTH,), lambda i: (0,))
summed = functools.partial(
    pl.pallas_call,
    out_shape=jax.ShapeDtypeStruct((LENGTH,), jnp.float32),
    grid=(PARTS,),
    in_specs=[pl.BlockSpec((LENGTH,), lambda i: (i,)), whole],
    out_specs=whole,
    input_output_aliases={1: 0},
    compiler_params=plgpu.CompilerParams(),
    name="add_up",
)(add_up)

parts = jnp.ones((PARTS * LENGTH,), jnp.float32)
total = jax.jit(summed)(parts, jnp.zeros((LENGTH,), jnp.float32))
print("sum", float(numpy.asarray(total).sum()), "of", PARTS * LENGTH)
