// Kernels in pairs, as in patterns.cu: barriers of some lanes of a warp. `lanes.ptx` is made from this file: see README.md.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define K extern "C" __global__ void

K tile_clean(const float *a, float *b) {
    __shared__ float s[256];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    b[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 7];
}
K tile_race(const float *a, float *b) { // from another tile
    __shared__ float s[256];
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    b[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 7];
}

K halves_clean(const float *a, float *b) { // a sum of each tile
    __shared__ float s[256];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x, rank = threadIdx.x & 15;
    s[t] = a[t];
    for (int k = 8; k > 0; k /= 2) {
        tile.sync();
        if (rank < k) s[t] += s[t + k];
    }
    if (rank == 0) b[(blockIdx.x * 256 + t) / 16] = s[t];
}
K halves_race(const float *a, float *b) { // without the barrier in between
    __shared__ float s[256];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x, rank = threadIdx.x & 15;
    s[t] = a[t];
    tile.sync();
    for (int k = 8; k > 0; k /= 2)
        if (rank < k) s[t] += s[t + k];
    if (rank == 0) b[(blockIdx.x * 256 + t) / 16] = s[t];
}

K some_clean(const float *a, float *b) { // the first half of the first warp
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = a[t];
        __syncwarp(0xffff);
        b[blockIdx.x * 16 + t] = s[15 - t];
    }
}
K some_race(const float *a, float *b) { // eight of sixteen lanes
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = a[t];
        if (t < 8) __syncwarp(0xff);
        b[blockIdx.x * 16 + t] = s[15 - t];
    }
}

K by_hand_clean(const float *a, float *b) {
    __shared__ float s[128];
    unsigned lane = threadIdx.x & 31, mask = 0xfu << (lane & ~3u);
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp(mask);
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x ^ 3];
}
K by_hand_race(const float *a, float *b) { // the mirrored lane of the warp is in another tile
    __shared__ float s[128];
    unsigned lane = threadIdx.x & 31, mask = 0xfu << (lane & ~3u);
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp(mask);
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x ^ 31];
}

K rounds_clean(const float *a, float *b, int n) { // neighbours of a tile, turn by turn
    __shared__ float s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = a[(blockIdx.x * n + i) * 64 + t];
        tile.sync();
        b[(blockIdx.x * n + i) * 64 + t] = s[t ^ 1];
        tile.sync();
    }
}
K rounds_race(const float *a, float *b, int n) { // the next turn stores before all have read
    __shared__ float s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = a[(blockIdx.x * n + i) * 64 + t];
        tile.sync();
        b[(blockIdx.x * n + i) * 64 + t] = s[t ^ 1];
    }
}

K nested_clean(const float *a, float *b) { // tiles, and then the warp
    __shared__ float s[64];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<4>(warp);
    int t = threadIdx.x;
    s[t] = a[t];
    tile.sync();
    float v = s[t ^ 3];
    warp.sync();
    s[t] = v;
    warp.sync();
    b[blockIdx.x * 64 + t] = s[t ^ 31];
}
K nested_race(const float *a, float *b) { // tiles where it should be the warp
    __shared__ float s[64];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<4>(warp);
    int t = threadIdx.x;
    s[t] = a[t];
    tile.sync();
    float v = s[t ^ 3];
    tile.sync();
    s[t] = v;
    tile.sync();
    b[blockIdx.x * 64 + t] = s[t ^ 31];
}

K few_clean(const float *a, float *b) { // the first lanes of each warp
    __shared__ float s[64];
    int t = threadIdx.x;
    if ((t & 31) < 8) {
        s[t] = a[t];
        __syncwarp(0xff);
        b[blockIdx.x * 64 + t] = s[t ^ 7];
    }
}
K few_race(const float *a, float *b) { // more lanes than the mask's
    __shared__ float s[64];
    int t = threadIdx.x;
    if ((t & 31) < 16) {
        s[t] = a[t];
        if ((t & 31) < 8) __syncwarp(0xff);
        b[blockIdx.x * 64 + t] = s[t ^ 8];
    }
}
