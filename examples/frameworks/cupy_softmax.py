"""A CuPy RawKernel whose block reads its maximum while another warp may still write it.

    warprace run [--gpu] -- python3 examples/frameworks/cupy_softmax.py [--fixed]
"""
import sys

import cupy
import numpy

SOURCE = r"""
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, row = blockIdx.x;
    float most = -1e30f;
    for (int i = t; i < n; i += blockDim.x) most = fmaxf(most, in[row * n + i]);
    part[t] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    most = part[0];
#ifdef FIXED
    __syncthreads();
#endif
    float sum = 0;
    for (int i = t; i < n; i += blockDim.x) sum += expf(in[row * n + i] - most);
    part[t] = sum; // of thread 0: the slot that others read the maximum from
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x) out[row * n + i] = expf(in[row * n + i] - most) / part[0];
}
"""

options = ("-lineinfo",) + (("-DFIXED",) if "--fixed" in sys.argv else ())
softmax = cupy.RawKernel(SOURCE, "softmax", options=options)
rows, n = 64, 1000
x = cupy.asarray(numpy.random.RandomState(1).standard_normal((rows, n)).astype(numpy.float32))
y = cupy.empty_like(x)
for _ in range(3):
    softmax((rows,), (256,), (x, y, cupy.int32(n)))
print("sum", round(float(y.sum()), 2))
