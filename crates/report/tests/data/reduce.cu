#include "load.cuh"

__global__ void blockSum(const float *in, float *out, int n) {
    __shared__ float partial[256];
    int tid = threadIdx.x;
    partial[tid] = load(in, blockIdx.x * blockDim.x + tid, n);
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}
