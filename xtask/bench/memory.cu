// Memory-bound: coalesced loads and stores of global memory.
#include "timed.h"

#ifndef TURNS
#define TURNS 16
#endif

__global__ void saxpy(float *y, const float *x, float a, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

int main() {
    const int n = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x);
    cudaMemset(y, 0, n * sizeof *y);
    {
        Timed timed;
        for (int i = 0; i < TURNS; i++)
            saxpy<<<256, 256>>>(y, x, 2.0f, n);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
