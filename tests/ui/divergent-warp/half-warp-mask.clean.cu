//@ lens-ptx: clean
// The halves of a warp exchange their numbers through shared memory.
// Clean: __syncwarp() with the full mask orders both halves.
#include "../support/check.h"

__global__ void swap_halves(const int *in, int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x;
    slot[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp(0xffffffffu);
    int other = slot[lane ^ 16];
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
//@ engine-guard: unseen
