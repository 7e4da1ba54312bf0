// Kernels in pairs, as in patterns.cu, whose blocks meet at barriers of a cooperative grid. `grids.ptx` is made from this file: see
// README.md.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define K extern "C" __global__ void

K one_barrier_clean(float *a, float *b) { // each block's neighbour, behind a barrier
    int i = blockIdx.x;
    if (threadIdx.x == 0) a[i] = i;
    cg::this_grid().sync();
    if (threadIdx.x == 0) b[i] = a[i + 1 < gridDim.x ? i + 1 : 0];
}
K one_barrier_race(float *a, float *b) { // and before one
    int i = blockIdx.x;
    if (threadIdx.x == 0) {
        a[i] = i;
        b[i] = a[i + 1 < gridDim.x ? i + 1 : 0];
    }
    cg::this_grid().sync();
}

K in_rounds_clean(float *a, float *b, int rounds) { // two arrays that take turns
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i + 1]) / 2;
        grid.sync();
        a[i] = b[i];
        grid.sync();
    }
}
K in_rounds_race(float *a, float *b, int rounds) { // with one barrier a turn
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        if (i > 0 && i < n - 1) b[i] = (a[i - 1] + a[i + 1]) / 2;
        grid.sync();
        a[i] = b[i];
    }
}

K summed_clean(const float *a, float *part, float *out, int n) { // the first block adds up
    __shared__ float s[32];
    auto grid = cg::this_grid();
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int w = 0; w < blockDim.x / 32; ++w) all += s[w];
        part[blockIdx.x] = all;
    }
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += part[b];
        *out = all;
    }
}
K summed_race(const float *a, float *part, float *out, int n) { // behind a barrier of its own threads
    __shared__ float s[32];
    auto grid = cg::this_grid();
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    grid.sync();
    for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int w = 0; w < blockDim.x / 32; ++w) all += s[w];
        part[blockIdx.x] = all;
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += part[b];
        *out = all;
    }
}

K again_clean(int *a, int *b, int n) { // rows, which others read before they are written again
    auto grid = cg::this_grid();
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[blockIdx.x * n + i] = i;
    grid.sync();
    if (threadIdx.x == 0) b[blockIdx.x] = a[(gridDim.x - 1 - blockIdx.x) * n];
    grid.sync();
    if (threadIdx.x < n) a[blockIdx.x * n + threadIdx.x] = 0;
}
K again_race(int *a, int *b, int n) { // and written again while others read
    auto grid = cg::this_grid();
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[blockIdx.x * n + i] = i;
    grid.sync();
    if (threadIdx.x == 0) b[blockIdx.x] = a[(gridDim.x - 1 - blockIdx.x) * n];
    if (threadIdx.x < n) a[blockIdx.x * n + threadIdx.x] = 0;
    grid.sync();
}
