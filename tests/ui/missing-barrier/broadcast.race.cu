//@ lens-ptx: race
//@ class: missing-barrier
// The first thread fetches a scale factor for the block.
// The bug: the other warps read it without waiting. The clean twin has the barrier.
#include "../support/check.h"

__device__ int table[4] = {2, 3, 5, 7};

__global__ void scale(int *values) {
    __shared__ int factor;
    int t = threadIdx.x;
    if (t == 0)
        factor = table[blockIdx.x]; //~ RACE(1)
    if (t >= 32) {
        int f = factor; //~ RACE(1)
        values[blockIdx.x * 64 + t - 32] *= f;
    }
}

int main() {
    const int blocks = 4, n = blocks * 64;
    int host[n], *values, wrong = 0;
    const int want[4] = {2, 3, 5, 7};
    for (int &v : host) v = 1;
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    scale<<<blocks, 96>>>(values);
    CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += host[i] != want[i / 64];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
