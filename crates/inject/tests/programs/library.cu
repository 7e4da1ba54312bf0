// Device code and a static runtime inside a shared library.
#include "check.h"

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

extern "C" int work() {
    int h[32], *d;
    for (int i = 0; i < 32; ++i) h[i] = i;
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    twice<<<1, 32>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(d));
    return h[31];
}
