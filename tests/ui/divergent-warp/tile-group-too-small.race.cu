//@ lens-ptx: race
//@ class: divergent-warp
// Cooperative groups split a warp into tiles; lanes read what the next tile wrote.
// The bug: tile.sync() of an 8-lane tile waits for those 8 lanes only. The clean twin
// uses a tile of 32 lanes for the exchange.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void next_tile(const int *in, int *out) {
    __shared__ int slot[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int lane = threadIdx.x;
    slot[lane] = in[blockIdx.x * 32 + lane]; //~ RACE(1)
    tile.sync();
    int next = slot[(lane + 8) % 32]; //~ RACE(1)
    out[blockIdx.x * 32 + lane] = next;
}

int main() {
    const int n = 96;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = 7 * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    next_tile<<<n / 32, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 7 * (i / 32 * 32 + (i + 8) % 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
