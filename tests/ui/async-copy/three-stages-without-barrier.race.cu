//@ lens-ptx: race
//@ class: async-copy
// Three buffers of a tile are filled by cp.async, one ahead of the round that adds up the tile.
// The bug: no barrier at the end of a round, so that the next copy overwrites a buffer which warps behind still read.
// Lanes of one warp race as those of several do: __syncwarp() is not enough.
// The clean twin has a barrier at the end of each round.
#include "../support/check.h"
#include <cuda_pipeline.h>

constexpr int THREADS = 128, TILE = 4 * THREADS, STAGES = 3, TILES = 5;

__global__ void sums(const int *in, int *out) {
    __shared__ __align__(16) int buffer[STAGES][TILE];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 1 - STAGES; k < TILES; ++k) {
        int next = k + STAGES - 1;
        if (next < TILES)
            __pipeline_memcpy_async(&buffer[next % STAGES][4 * t], &in[next * TILE + 4 * t], 16); //~ RACE(1)
        __pipeline_commit();
        if (k < 0) continue;
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < TILE; ++i)
            sum += buffer[k % STAGES][i]; //~ RACE(1)
    }
    out[t] = sum;
}

int main() {
    int *host = new int[TILES * TILE], got[THREADS], *in, *out, sum = 0;
    for (int i = 0; i < TILES * TILE; ++i) sum += host[i] = i % 7;
    CHECK(cudaMalloc(&in, TILES * TILE * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, TILES * TILE * sizeof(int), cudaMemcpyHostToDevice));
    sums<<<1, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int value : got) wrong += value != sum;
    std::printf("%d wrong\n", wrong);
    delete[] host;
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
