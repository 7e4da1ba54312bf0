// ALU-bound: long chains of integer and float operations on registers.
#include "timed.h"

__global__ void alu(unsigned *out, int rounds) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    float f = 1.0f + x;
    for (int i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 7;
        f = f * 1.000001f + 0.5f;
        x += (x << 3) & 0x55555555u;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x ^ __float_as_uint(f);
}

int main() {
    const int blocks = 64, threads = 256;
    unsigned *out;
    cudaMalloc(&out, blocks * threads * sizeof *out);
    {
        Timed timed;
        alu<<<blocks, threads>>>(out, 40000);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
