"""A Numba kernel that reads its neighbours' part of a tile without a barrier.

    warprace run --gpu -- python3 examples/frameworks/numba_stencil.py [--fixed]
"""
import sys

import numpy
from numba import cuda, float32

FIXED = "--fixed" in sys.argv


@cuda.jit(lineinfo=True)
def smooth(x, out):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i]
    if FIXED:
        cuda.syncthreads()
    left = tile[t - 1] if t > 0 else tile[t]
    right = tile[t + 1] if t < 255 else tile[t]
    out[i] = (left + tile[t] + right) / 3


x = cuda.to_device(numpy.arange(1 << 14, dtype=numpy.float32))
out = cuda.device_array_like(x)
for _ in range(3):
    smooth[64, 256](x, out)
print("sum", float(out.copy_to_host().sum()))
