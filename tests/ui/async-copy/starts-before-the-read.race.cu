//@ lens-ptx: race
//@ class: async-copy
// A warp reads tiles that its lanes copy asynchronously into three buffers by turns, two rounds ahead.
// The bug: a lane starts the copy of a later round while another one still reads that buffer. The clean twin has them
// meet at the end of each round.
#include "../support/check.h"
#include <cuda_pipeline.h>

constexpr int TILE = 32, STAGES = 3;

__global__ void mirror(const int *in, int *out, int tiles) {
    __shared__ int tile[STAGES][TILE];
    int t = threadIdx.x;
    for (int k = 0; k < tiles + 2; ++k) {
        if (k < tiles) {
            __pipeline_memcpy_async(&tile[k % STAGES][t], &in[k * TILE + t], sizeof(int)); //~ RACE(1)
        }
        __pipeline_commit();
        if (k < 2) continue;
        __pipeline_wait_prior(2);
        __syncwarp();
        int value = tile[(k - 2) % STAGES][TILE - 1 - t]; //~ RACE(1)
        out[(k - 2) * TILE + t] = value;
    }
}

int main() {
    const int tiles = 6, n = tiles * TILE;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<1, TILE>>>(in, out, tiles);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
