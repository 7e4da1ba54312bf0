// Barrier-bound: tree reductions in shared memory.
#include "timed.h"

#ifndef TURNS
#define TURNS 200
#endif

__global__ void reduce(float *out, const float *in, int rounds) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        s[t] = in[blockIdx.x * blockDim.x + t] + r;
        __syncthreads();
        for (int d = 128; d > 0; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
        if (t == 0)
            sum += s[0];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sum;
}

int main() {
    const int blocks = 128;
    float *in, *out;
    cudaMalloc(&in, blocks * 256 * sizeof *in);
    cudaMalloc(&out, blocks * sizeof *out);
    cudaMemset(in, 0, blocks * 256 * sizeof *in);
    {
        Timed timed;
        reduce<<<blocks, 256>>>(out, in, TURNS);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
