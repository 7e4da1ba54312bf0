"""Two Triton kernels of which the second one may begin before the first has ended (`launch_pdl`).

    warprace run --gpu -- python3 examples/frameworks/triton_dependent_launch.py [--fixed]
"""
import sys

import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def produce(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_wait()
    gdc_launch_dependents()
    tl.store(x + i, i.to(tl.float32), mask=i < n)


@triton.jit
def consume(y, x, n, BLOCK: tl.constexpr, FIXED: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if FIXED:
        gdc_wait()
    value = tl.load(x + i, mask=i < n)
    if not FIXED:
        gdc_wait()  # too late: the first kernel may not have stored it yet
    tl.store(y + i, value + 1, mask=i < n)


n = 4096
x, y = torch.zeros(n, device="cuda"), torch.zeros(n, device="cuda")
produce[(triton.cdiv(n, 256),)](x, n, BLOCK=256)
consume[(triton.cdiv(n, 256),)](y, x, n, BLOCK=256, FIXED="--fixed" in sys.argv, launch_pdl=True)
torch.cuda.synchronize()
print("sum", int(y.sum()))
