// Each block of `spread` writes its 64 elements and the first one of the next block; those of `apart` write their own alone; `ticket`
// gives each block a place that depends on the others.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void spread(int* out, int rounds) {
    int at = blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < rounds; i++) out[at] = i;
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) out[at + 64] = 1;
}
__global__ void apart(int* out, int rounds) {
    int at = blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < rounds; i++) out[at] = i;
}
__global__ void ticket(int* out) { if (threadIdx.x == 0) out[atomicAdd(out, 1) + 1] = 1; }
int main(int n, char**) {
    int* p; cudaMalloc(&p, 4096 * 64 * 4 + 4); cudaMemset(p, 0, 4096 * 64 * 4 + 4);
    if (n == 1) spread<<<4096, 64>>>(p, 10);
    if (n == 2) apart<<<4096, 64>>>(p, 10);
    if (n == 3) ticket<<<4096, 64>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
