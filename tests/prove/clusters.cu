// Kernels in pairs, as in patterns.cu: blocks of a cluster that access each other's shared memory. `clusters.ptx` is made from
// this file: see README.md.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define K extern "C" __global__ void
#define PAIR __cluster_dims__(2, 1, 1) __launch_bounds__(128)
#define FOUR __cluster_dims__(4, 1, 1) __launch_bounds__(128)

K PAIR exchange_clean(const float *a, float *b) { // each block reads what the other one has put
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = a[i];
    cluster.sync();
    b[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}
K PAIR exchange_race(const float *a, float *b) { // a barrier of the block is none of the cluster
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = a[i];
    __syncthreads();
    b[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}

K PAIR push_clean(const float *a, float *b) { // puts into the other block's memory, which that reads behind the barrier
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cluster.sync();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t] = a[i];
    cluster.sync();
    b[i] = s[127 - t];
}
K PAIR push_race(const float *a, float *b) { // reads the own memory before it is known to be there
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cluster.sync();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t] = a[i];
    b[i] = s[127 - t];
    cluster.sync();
}

K FOUR gather_clean(const float *a, float *b) { // each block has a part of block zero's memory
    __shared__ float s[4 * 128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    float *first = cluster.map_shared_rank(s, 0);
    cluster.sync();
    first[rank * 128 + t] = a[blockIdx.x * 128 + t];
    cluster.sync();
    if (rank == 0)
        for (int k = 0; k < 4; ++k) b[(blockIdx.x + k) * 128 + t] = s[k * 128 + 127 - t];
}
K FOUR gather_race(const float *a, float *b) { // parts overlap
    __shared__ float s[4 * 128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    float *first = cluster.map_shared_rank(s, 0);
    cluster.sync();
    first[rank * 64 + t] = a[blockIdx.x * 128 + t];
    cluster.sync();
    if (rank == 0)
        for (int k = 0; k < 4; ++k) b[(blockIdx.x + k) * 128 + t] = s[k * 128 + 127 - t];
}

K FOUR histogram_clean(const unsigned *a, unsigned *b) { // bins of a cluster, counted by atomics
    __shared__ unsigned bins[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    bins[t] = 0;
    cluster.sync();
    unsigned x = a[i] % 512;
    atomicAdd(&cluster.map_shared_rank(bins, x / 128)[x % 128], 1);
    cluster.sync();
    b[i] = bins[t];
}
K FOUR histogram_race(const unsigned *a, unsigned *b) { // some are counted before they are zero
    __shared__ unsigned bins[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    bins[t] = 0;
    __syncthreads();
    unsigned x = a[i] % 512;
    atomicAdd(&cluster.map_shared_rank(bins, x / 128)[x % 128], 1);
    cluster.sync();
    b[i] = bins[t];
}

K FOUR all_clean(const float *a, float *b) { // the sum of all blocks of the cluster, the own one among them
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = a[i];
    cluster.sync();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k) sum += cluster.map_shared_rank(s, k)[127 - t];
    cluster.sync();
    s[t] = sum;
    b[i] = s[t];
}
K FOUR all_race(const float *a, float *b) { // and overwritten before all have read it
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = a[i];
    cluster.sync();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k) sum += cluster.map_shared_rank(s, k)[127 - t];
    s[t] = sum;
    b[i] = s[t];
    cluster.sync();
}

K PAIR halo_clean(float *a, int n) { // neighbours' edges, turn by turn
    __shared__ float s[2][130];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, k = 0, rank = cluster.block_rank();
    s[0][t] = a[blockIdx.x * 128 + t];
    cluster.sync();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        float beside = cluster.map_shared_rank(&s[k][0], rank ^ 1)[127 - t];
        s[k ^ 1][t] = s[k][t] + beside;
        k ^= 1;
        cluster.sync();
    }
    a[blockIdx.x * 128 + t] = s[k][t];
}
K PAIR halo_race(float *a, int n) { // one buffer is not enough
    __shared__ float s[130];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    s[t] = a[blockIdx.x * 128 + t];
    cluster.sync();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        float beside = cluster.map_shared_rank(s, rank ^ 1)[127 - t];
        s[t] = s[t] + beside;
        cluster.sync();
    }
    a[blockIdx.x * 128 + t] = s[t];
}

__device__ __forceinline__ unsigned far(const void *p, unsigned rank) {
    unsigned s = (unsigned)__cvta_generic_to_shared(p), d;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(s), "r"(rank));
    return d;
}
__device__ __forceinline__ void put(unsigned to, float x) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(x) : "memory");
}
__device__ __forceinline__ void meet() {
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

K FOUR ring_clean(const float *a, float *b) { // by addresses of shared::cluster, to the next block around
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    put(far(&s[t], (cluster.block_rank() + 1) % 4), a[i]);
    meet();
    b[i] = s[127 - t];
}
K FOUR ring_race(const float *a, float *b) { // two blocks to one
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    put(far(&s[t], cluster.block_rank() / 2), a[i]);
    meet();
    b[i] = s[127 - t];
}

K PAIR own_clean(const float *a, float *b) { // the own rank is the own memory
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    put(far(&s[t], cluster.block_rank()), a[i]);
    __syncthreads();
    b[i] = s[127 - t];
}
K PAIR own_race(const float *a, float *b) { // and threads of the own block race there
    __shared__ float s[128];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    put(far(&s[t], cluster.block_rank()), a[i]);
    b[i] = s[127 - t];
}

K PAIR scope_clean(const unsigned *a, unsigned *b) { // atomics of the cluster's scope
    __shared__ unsigned n;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t == 0) n = 0;
    cluster.sync();
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(far(&n, 0)) : "memory");
    cluster.sync();
    b[blockIdx.x * 128 + t] = n;
}
K PAIR scope_race(const unsigned *a, unsigned *b) { // of the block's only
    __shared__ unsigned n;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t == 0) n = 0;
    cluster.sync();
    asm volatile("red.relaxed.cta.shared::cluster.add.u32 [%0], 1;" ::"r"(far(&n, 0)) : "memory");
    cluster.sync();
    b[blockIdx.x * 128 + t] = n;
}
