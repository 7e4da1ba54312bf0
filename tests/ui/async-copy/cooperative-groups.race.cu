//@ lens-ptx: race
//@ class: async-copy
// A block stages a tile with the collective copy of cooperative groups.
// The bug: block.sync() is a barrier for threads, the copy needs cg::wait(). The clean
// twin has it.
#include "../support/check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

constexpr int TILE = 128;

__global__ void mirror(const int *in, int *out) {
    __shared__ int tile[TILE];
    auto block = cg::this_thread_block();
    int t = threadIdx.x, first = blockIdx.x * TILE;
    cg::memcpy_async(block, tile, in + first, sizeof tile); //~ RACE(1)
    block.sync();
    int mirrored = tile[TILE - 1 - t]; //~ RACE(1)
    out[first + t] = mirrored;
}

int main() {
    const int n = 2 * TILE;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<n / TILE, TILE>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-collide: race
//@ engine-guard: race
