// Results of atomics are used: each thread appends to a queue, whose counter every block shares.
#include "timed.h"

__global__ void append(unsigned *queue, unsigned *count, const unsigned *in, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned x = in[i];
        if (x % 3 == 0)
            queue[atomicAdd(count, 1u)] = x;
    }
}

int main() {
    const int n = 1 << 18;
    unsigned *in, *queue, *count, *host = new unsigned[n];
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&queue, n * sizeof *queue);
    cudaMalloc(&count, sizeof *count);
    cudaMemcpy(in, host, n * sizeof *in, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof *count);
    {
        Timed timed;
        append<<<128, 256>>>(queue, count, in, n);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
