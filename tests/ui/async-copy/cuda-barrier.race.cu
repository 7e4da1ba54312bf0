//@ lens-ptx: race
//@ class: async-copy
// A block stages a tile with cuda::memcpy_async() on a cuda::barrier.
// The bug: __syncthreads() waits for the threads, not for the copy. The clean twin waits
// on the barrier that the copy reports to.
#include "../support/check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

constexpr int TILE = 64;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void mirror(const int *in, int *out) {
    __shared__ alignas(16) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier copied;
    auto block = cg::this_thread_block();
    int t = threadIdx.x, first = blockIdx.x * TILE;
    if (t == 0) init(&copied, TILE);
    block.sync();
    cuda::memcpy_async(block, tile, in + first, cuda::aligned_size_t<16>(sizeof tile), copied); //~ RACE(1)
    __syncthreads();
    int mirrored = tile[TILE - 1 - t]; //~ RACE(1)
    out[first + t] = mirrored;
    copied.arrive_and_wait(); // so that the copy does not outlive the block
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
