//@ lens-ptx: clean
// Each block reverses its tile of 128 numbers through shared memory.
// Clean: __syncthreads() separates filling the tile from reading it.
#include "../support/check.h"

constexpr int TILE = 128;

__global__ void reverse_tiles(const int *in, int *out) {
    __shared__ int tile[TILE];
    int t = threadIdx.x;
    int i = blockIdx.x * TILE + t;
    tile[t] = in[i];
    __syncthreads();
    int mirrored = tile[TILE - 1 - t];
    out[i] = mirrored;
}

int main() {
    const int n = 4 * TILE;
    int host[n], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse_tiles<<<n / TILE, TILE>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return wrong != 0;
}

//@ engine-guard: unseen
