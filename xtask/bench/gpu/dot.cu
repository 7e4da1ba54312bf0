// A dot product of 32 Mi floats by shuffles and one atomic a block, ten times.
#include "../timed.h"

__global__ void dot(int n, const float *x, const float *y, float *out) {
    __shared__ float part[8];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) s += part[w];
        atomicAdd(out, s);
    }
}

int main() {
    const int n = 32 << 20;
    float *x, *y, *out;
    cudaMalloc(&x, sizeof *x * n);
    cudaMalloc(&y, sizeof *y * n);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(x, 0, sizeof *x * n);
    cudaMemset(y, 0, sizeof *y * n);
    dot<<<1056, 256>>>(n, x, y, out);
    Timed timed;
    for (int i = 0; i < 10; i++) dot<<<1056, 256>>>(n, x, y, out);
}
