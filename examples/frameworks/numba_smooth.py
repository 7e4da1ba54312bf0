"""A Numba kernel that reads its neighbours' values in shared memory before they are there.

    warprace run [--gpu] -- python3 examples/frameworks/numba_smooth.py [--fixed]
"""
import sys

import numpy
from numba import cuda, float32

FIXED = "--fixed" in sys.argv
THREADS = 256


@cuda.jit(lineinfo=True)
def smooth(out, values):
    tile = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = values[i]
    if FIXED:
        cuda.syncthreads()
    out[i] = (tile[(t + THREADS - 1) % THREADS] + tile[t] + tile[(t + 1) % THREADS]) / 3  # others may not have written yet


n = 64 * THREADS
values = cuda.to_device(numpy.ones(n, dtype=numpy.float32))
out = cuda.device_array(n, dtype=numpy.float32)
for _ in range(3):
    smooth[n // THREADS, THREADS](out, values)
print("sum", float(out.copy_to_host().sum()))
