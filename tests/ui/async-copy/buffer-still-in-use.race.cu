//@ lens-ptx: race
// A block walks over tiles; each is staged with asynchronous copies in one buffer.
// The bug: the copies of the next tile start while other warps read the last one. The
// clean twin has a barrier at the end of each round.
#include "../support/check.h"
#include <cuda_pipeline.h>

constexpr int TILE = 64;

__global__ void mirrored_sums(const int *in, int *out, int tiles) {
    __shared__ int tile[TILE];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < tiles; ++k) {
        __pipeline_memcpy_async(&tile[t], &in[k * TILE + t], sizeof(int)); //~ RACE(1)
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        int mirrored = tile[TILE - 1 - t]; //~ RACE(1)
        sum += mirrored;
    }
    out[blockIdx.x * TILE + t] = sum;
}

int main() {
    const int tiles = 4, n = tiles * TILE;
    int host[n], got[2 * TILE], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirrored_sums<<<2, TILE>>>(in, out, tiles);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * TILE; ++i) {
        int want = 0;
        for (int k = 0; k < tiles; ++k) want += k * TILE + TILE - 1 - i % TILE;
        wrong += got[i] != want;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
//@ engine-collide: race
