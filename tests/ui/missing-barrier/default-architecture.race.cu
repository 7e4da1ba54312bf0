//@ lens-ptx: race
//@ class: missing-barrier
//@ nvcc: -gencode arch=compute_75,code=sm_75 -gencode arch=compute_75,code=compute_75
// The tiles of a block are reversed, in a program for an older architecture that carries
// machine code beside its PTX.
// The bug: the barrier is missing. The clean twin has it.
#include "../support/check.h"

constexpr int TILE = 64;

__global__ void reverse_tiles(const int *in, int *out) {
    __shared__ int tile[TILE];
    int t = threadIdx.x;
    int i = blockIdx.x * TILE + t;
    tile[t] = in[i]; //~ RACE(1)
    int value = tile[TILE - 1 - t]; //~ RACE(1)
    out[i] = value;
}

int main() {
    const int n = 2 * TILE;
    int host[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse_tiles<<<n / TILE, TILE>>>(in, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += host[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
