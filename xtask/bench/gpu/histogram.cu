// 256 bins of 64 Mi bytes: atomics in shared memory, then in global memory.
#include "../timed.h"

__global__ void count(const unsigned *in, int n, unsigned *bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned four = in[i];
        for (int k = 0; k < 4; k++) atomicAdd(&own[four >> 8 * k & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void fill(unsigned *in, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) in[i] = i * 2654435761u;
}

int main() {
    const int n = 16 << 20;
    unsigned *in, *bins;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&bins, 256 * sizeof *bins);
    cudaMemset(bins, 0, 256 * sizeof *bins);
    fill<<<1024, 256>>>(in, n);
    count<<<1024, 256>>>(in, n, bins);
    Timed timed;
    for (int i = 0; i < 10; i++) count<<<1024, 256>>>(in, n, bins);
}
