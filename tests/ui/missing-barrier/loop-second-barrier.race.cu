//@ lens-ptx: race
//@ class: missing-barrier
// A block walks over several tiles and reuses one shared buffer for each.
// The bug: the second barrier of the loop is missing, so the next tile is stored
// while a slower warp still reads the last one. The clean twin has both barriers.
#include "../support/check.h"

constexpr int TILE = 96;

__global__ void weighted(const int *in, int *out, int tiles) {
    __shared__ int tile[TILE];
    int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < tiles; ++k) {
        tile[t] = in[k * TILE + t]; //~ RACE(1)
        __syncthreads();
        int other = tile[(t + 32) % TILE]; //~ RACE(1)
        sum += other * (k + 1);
    }
    out[blockIdx.x * TILE + t] = sum;
}

int main() {
    const int blocks = 2, tiles = 5, n = tiles * TILE;
    int host[n], got[blocks * TILE], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    weighted<<<blocks, TILE>>>(in, out, tiles);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < blocks * TILE; ++i) {
        int want = 0;
        for (int k = 0; k < tiles; ++k) want += host[k * TILE + (i + 32) % TILE] * (k + 1);
        wrong += got[i] != want;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
