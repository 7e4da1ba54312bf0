//@ lens-ptx: race
//@ class: divergent-warp
// The halves of a warp exchange their numbers through shared memory.
// The bug: each half waits with a mask of its own 16 lanes, so nothing orders one half
// with the other. The clean twin waits with the full mask.
#include "../support/check.h"

__global__ void swap_halves(const int *in, int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x;
    slot[lane] = in[blockIdx.x * 32 + lane]; //~ RACE(1)
    __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
    int other = slot[lane ^ 16]; //~ RACE(1)
    out[blockIdx.x * 32 + lane] = other;
}

int main() {
    const int n = 64;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    swap_halves<<<n / 32, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != host[i ^ 16];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
