//@ lens-ptx: race
//@ class: missing-barrier
// A block exchanges numbers between its warps, written with cooperative groups.
// The bug: sync() is called on the warp's tile instead of the block. The clean twin
// calls it on the block.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void swap_warps(const int *in, int *out) {
    __shared__ int slot[64];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int t = block.thread_rank(), i = blockIdx.x * 64 + t;
    slot[t] = in[i]; //~ RACE(1)
    tile.sync();
    int other = slot[(tile.meta_group_rank() ^ 1) * 32 + tile.thread_rank()]; //~ RACE(1)
    out[i] = other;
}

int main() {
    const int n = 128;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    swap_warps<<<n / 64, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i ^ 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
