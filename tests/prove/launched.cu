// Kernels in pairs, with the host code that launches them: NAME_clean is free of races in the launch that it gets,
// NAME_race has one there. `crates/warprace/tests/prove.rs` runs this program with --facts and asks about both.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cstdio>
namespace cg = cooperative_groups;

#define K extern "C" __global__ void

// What the host fixes: extents, sizes, relations between arguments.

K single_thread_clean(int *a) { if (threadIdx.x == 0) a[0] = 1; a[1 + threadIdx.x] = 2; }
K single_thread_race(int *a) { if (threadIdx.x == 0) a[1] = 1; a[threadIdx.x] = 2; }

K tile_of_block_clean(const int *a, int *b) { // is right for blocks of 64 only, and gets one
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[64 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x];
}
K tile_of_block_race(const int *a, int *b) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[32 * blockIdx.x + threadIdx.x] = s[63 - threadIdx.x];
}

// Large enough to be worth a proof before it runs.
K reversed_tiles_clean(int *a) {
    __shared__ int s[64];
    int i = 64 * blockIdx.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[63 - threadIdx.x];
}
K reversed_tiles_race(int *a) {
    __shared__ int s[64];
    int i = 64 * blockIdx.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    a[i] = s[63 - threadIdx.x];
}

K row_pitch_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 1; }
K row_pitch_race(int *a, int pitch) { a[blockIdx.x * (pitch - 1) + threadIdx.x] = 1; }

K shift_within_clean(int *a, int by) { a[threadIdx.x + by] = a[threadIdx.x]; } // by is the number of threads
K shift_within_race(int *a, int by) { a[threadIdx.x + by - 1] = a[threadIdx.x]; }

K two_parameters_clean(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x]; } // of one array
K two_parameters_race(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }

// One array for both, although `__restrict__` promises two: read through the non-coherent path.
K read_only_cache_clean(const int *__restrict__ in, int *__restrict__ out) { out[64 + threadIdx.x] = in[threadIdx.x]; }
K read_only_cache_race(const int *__restrict__ in, int *__restrict__ out) { out[63 + threadIdx.x] = in[threadIdx.x]; }

struct Range { int *data; int first, count; };
K struct_argument_clean(Range r) { if (threadIdx.x < r.count) r.data[r.first + blockIdx.x * r.count + threadIdx.x] = 1; }
K struct_argument_race(Range r) { if (threadIdx.x <= r.count) r.data[r.first + blockIdx.x * r.count + threadIdx.x] = 1; }

K last_columns_clean(int *a, int w) { // w divides the grid's threads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[(i % w) * (gridDim.x * blockDim.x / w) + i / w] = i;
}
K last_columns_race(int *a, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[(i % w) * (gridDim.x * blockDim.x / w) + i / (w + 1)] = i;
}

// What index arrays hold.

K scatter_clean(int *a, const int *index) { a[index[blockIdx.x * blockDim.x + threadIdx.x]] = 1; } // a permutation
K scatter_race(int *a, const int *index) { a[index[blockIdx.x * blockDim.x + threadIdx.x] / 2] = 1; }

K rows_of_graph_clean(int *a, const int *rows) { // begins of rows, which grow
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = rows[r]; i < rows[r + 1]; i++) a[i] = r;
}
K rows_of_graph_race(int *a, const int *rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = rows[r]; i <= rows[r + 1]; i++) a[i] = r;
}

K flagged_clean(int *a, const int *mask) { // a mask with one bit for each place
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mask[i] == 0) a[0] = 1;
}
K flagged_race(int *a, const int *mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mask[i] < 60) a[0] = i;
}

K compact_clean(int *out, const int *in) { // counts in shared memory decide where threads write
    __shared__ int before[128];
    int t = threadIdx.x, keep = in[t] & 1;
    before[t] = keep;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? before[t - d] : 0;
        __syncthreads();
        before[t] += v;
        __syncthreads();
    }
    if (keep) out[before[t] - 1] = t;
}
K compact_race(int *out, const int *in) {
    __shared__ int before[128];
    int t = threadIdx.x, keep = in[t] & 1;
    before[t] = keep;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? before[t - d] : 0;
        before[t] += v;
        __syncthreads();
    }
    if (keep) out[before[t] - 1] = t;
}

K counted_sort_clean(int *out, const int *in) { // a histogram decides where buckets are
    __shared__ int n[16];
    int t = threadIdx.x;
    if (t < 16) n[t] = 0;
    __syncthreads();
    atomicAdd(&n[in[t] & 15], 1);
    __syncthreads();
    if (t < 16) { int at = 0; for (int i = 0; i < t; i++) at += n[i]; for (int i = 0; i < n[t]; i++) out[at + i] = t; }
}
K counted_sort_race(int *out, const int *in) {
    __shared__ int n[16];
    int t = threadIdx.x;
    if (t < 16) n[t] = 0;
    __syncthreads();
    atomicAdd(&n[in[t] & 15], 1);
    if (t < 16) { int at = 0; for (int i = 0; i < t; i++) at += n[i]; for (int i = 0; i < n[t]; i++) out[at + i] = t; }
}

// Warps.

K warp_swap_clean(int *a) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    a[threadIdx.x] = s[threadIdx.x ^ 31];
}
K warp_swap_race(int *a) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[threadIdx.x ^ 31];
}

K warp_tree_clean(const int *a, int *b) {
    __shared__ int s[128];
    int t = threadIdx.x, lane = t & 31;
    s[t] = a[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) { if (lane < d) s[t] += s[t + d]; __syncwarp(); }
    if (lane == 0) b[t / 32] = s[t];
}
K warp_tree_race(const int *a, int *b) {
    __shared__ int s[128];
    int t = threadIdx.x, lane = t & 31;
    s[t] = a[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) { if (lane < d) s[t] += s[t + d]; }
    if (lane == 0) b[t / 32] = s[t];
}

K half_warps_clean(int *a) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    a[threadIdx.x] = s[threadIdx.x ^ 15];
}
K half_warps_race(int *a) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    a[threadIdx.x] = s[threadIdx.x ^ 31];
}

K shuffled_sum_clean(int *a) {
    int v = a[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if ((threadIdx.x & 31) == 0) a[128 + threadIdx.x / 32] = v;
}
K shuffled_sum_race(int *a) {
    int v = a[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    a[128 + threadIdx.x / 32] = v;
}

// Named barriers.

__device__ void meet(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

K named_barriers_clean(int *a) { // two warps each
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    meet(1 + t / 64, 64);
    a[t] = s[t ^ 63];
}
K named_barriers_race(int *a) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    meet(1 + t / 64, 64);
    a[t] = s[t ^ 127];
}

K produce_consume_clean(int *a) { // one warp arrives, the other one waits
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) { s[t] = a[t]; arrive(1, 64); } else { meet(1, 64); a[t] = s[63 - t]; }
}
K produce_consume_race(int *a) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) { arrive(1, 64); s[t] = a[t]; } else { meet(1, 64); a[t] = s[63 - t]; }
}

// Asynchronous copies.

K copied_clean(const int *a, int *b) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    b[t] = s[63 - t];
}
K copied_race(const int *a, int *b) { // waits after the barrier
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    b[t] = s[63 - t];
}

K two_stages_clean(const int *a, int *b) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &a[t], 4);
    __pipeline_commit();
    for (int k = 0; k < 8; k++) {
        if (k < 7) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &a[64 * (k + 1) + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k & 1][63 - t];
        __syncthreads();
    }
    b[t] = sum;
}
K two_stages_race(const int *a, int *b) { // the next copy begins while others still read
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &a[t], 4);
    __pipeline_commit();
    for (int k = 0; k < 8; k++) {
        if (k < 7) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &a[64 * (k + 1) + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k & 1][63 - t];
    }
    b[t] = sum;
}

// Clusters.

K __cluster_dims__(2, 1, 1) neighbours_clean(const int *a, int *b) {
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = a[t];
    cluster.sync();
    b[64 * blockIdx.x + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}
K __cluster_dims__(2, 1, 1) neighbours_race(const int *a, int *b) {
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    b[64 * blockIdx.x + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t];
    cluster.sync();
}

// Calls.

__device__ __noinline__ int *place(int *a, int i, int stride) { return a + i * stride; }
K called_clean(int *a) { *place(a, threadIdx.x, 2) = 1; *place(a + 1, threadIdx.x, 2) = 2; }
K called_race(int *a) { *place(a, threadIdx.x, 2) = 1; *place(a + 2, threadIdx.x, 2) = 2; }

// Scopes.

K block_atomics_clean(int *a) { atomicAdd_block(&a[blockIdx.x], 1); }
K block_atomics_race(int *a) { atomicAdd_block(&a[blockIdx.x / 2], 1); }

// Variables of the module, and several dimensions.

__device__ int counts[64];
__constant__ int stride_of_variable = 4;
K variable_clean() { counts[blockIdx.x * stride_of_variable + threadIdx.x] = 1; }
K variable_race() { counts[blockIdx.x * (stride_of_variable - 1) + threadIdx.x] = 1; }

K planes_clean(int *a, int w, int h) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
    if (x < w && y < h) a[(z * h + y) * w + x] = 1;
}
K planes_race(int *a, int w, int h) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
    if (x < w && y <= h) a[(z * h + y) * w + x] = z;
}

K bitonic_clean(int *a) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { int v = s[t]; s[t] = s[o]; s[o] = v; }
            __syncthreads();
        }
    a[t] = s[t];
}
K bitonic_race(int *a) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { int v = s[t]; s[t] = s[o]; s[o] = v; }
            if (j > 1) __syncthreads();
        }
    a[t] = s[t];
}

// More order and more shapes.

K warp_rows_clean(const int *a, int *b) { // each warp transposes a tile of its own
    __shared__ int s[4][32][2];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    s[w][lane][0] = a[threadIdx.x];
    s[w][lane][1] = a[threadIdx.x + 128];
    __syncwarp();
    b[threadIdx.x] = s[w][31 - lane][1] + s[w][lane][0];
}
K warp_rows_race(const int *a, int *b) { // reads the next warp's
    __shared__ int s[5][32][2];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    s[w][lane][0] = a[threadIdx.x];
    s[w][lane][1] = a[threadIdx.x + 128];
    __syncwarp();
    b[threadIdx.x] = s[w ^ 1][31 - lane][1] + s[w][lane][0];
}

K leader_of_warp_clean(int *a) {
    __shared__ int s[4];
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) s[w] = w;
    __syncwarp();
    a[threadIdx.x] = s[w];
}
K leader_of_warp_race(int *a) {
    __shared__ int s[4];
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) s[w] = w;
    a[threadIdx.x] = s[w];
}

K specialised_clean(const int *a, int *b) { // one warp fills, three drain; two barriers hand the buffer to and fro
    __shared__ int s[32];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (t < 32) s[t] = a[32 * k + t];
        meet(2, 128);
        if (t >= 32) sum += s[t & 31];
        meet(3, 128);
    }
    if (t >= 32) b[t] = sum;
}
K specialised_race(const int *a, int *b) {
    __shared__ int s[32];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (t < 32) s[t] = a[32 * k + t];
        meet(2, 128);
        if (t >= 32) sum += s[t & 31];
    }
    if (t >= 32) b[t] = sum;
}

K voted_clean(int *a, const int *in) { // threads of a warp write where the warp's vote says
    unsigned all = __ballot_sync(~0u, in[threadIdx.x] & 1);
    int lane = threadIdx.x % 32, before = __popc(all & ((1u << lane) - 1));
    if (in[threadIdx.x] & 1) a[threadIdx.x / 32 * 32 + before] = lane;
}
K voted_race(int *a, const int *in) {
    unsigned all = __ballot_sync(~0u, in[threadIdx.x] & 1);
    int lane = threadIdx.x % 32, before = __popc(all & ((1u << lane) - 1));
    if (in[threadIdx.x] & 1) a[threadIdx.x / 32 * 8 + before] = lane;
}

K triangle_clean(int *a, int n) { // rows of different length, one behind the other
    int row = blockIdx.x;
    if (threadIdx.x <= row && row < n) a[row * (row + 1) / 2 + threadIdx.x] = row;
}
K triangle_race(int *a, int n) {
    int row = blockIdx.x;
    if (threadIdx.x <= row + 1 && row < n) a[row * (row + 1) / 2 + threadIdx.x] = row;
}

K pointers_clean(int *const *rows) { rows[blockIdx.x][threadIdx.x] = 1; } // an array of pointers
K pointers_race(int *const *rows) { rows[blockIdx.x / 2][threadIdx.x] = blockIdx.x; }

K dynamic_clean(int *a, int n) { // two arrays in dynamic shared memory
    extern __shared__ int d[];
    int *x = d, *y = d + n, t = threadIdx.x;
    x[t] = a[t];
    y[t] = a[t + 64];
    __syncthreads();
    a[t] = x[63 - t] + y[63 - t];
}
K dynamic_race(int *a, int n) {
    extern __shared__ int d[];
    int *x = d, *y = d + n - 1, t = threadIdx.x;
    x[t] = a[t];
    y[t] = a[t + 64];
    __syncthreads();
    a[t] = x[63 - t] + y[63 - t];
}

// Phases that threads of a block tell apart by parity or by number.

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void begin(unsigned long long *b, int n) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(b)), "r"(n) : "memory");
}
__device__ void count(unsigned long long *b) {
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared.b64 s, [%0];\n}" ::"r"(place(b)) : "memory");
}
__device__ void await(unsigned long long *b, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(place(b)), "r"(parity)
                     : "memory");
}

// A ring of two slots, each filled six times; at first, an empty one is not waited for.
#define RING(NAME, EMPTIED, READ)                                                  \
    K NAME(const int *in, int *out) {                                             \
        __shared__ int slot[2][32];                                               \
        __shared__ unsigned long long full[2], empty[2];                          \
        int lane = threadIdx.x % 32, sum = 0;                                     \
        if (threadIdx.x < 2) begin(full + lane, 32), begin(empty + lane, 32);     \
        __syncthreads();                                                          \
        for (int r = 0; r < 12; r++) {                                            \
            int s = r % 2, turn = r / 2 % 2;                                      \
            if (threadIdx.x < 32) {                                               \
                await(empty + s, turn ^ 1);                                       \
                slot[s][lane] = in[32 * r + lane];                                \
                count(full + s);                                                  \
            } else {                                                              \
                await(full + s, turn);                                            \
                EMPTIED;                                                          \
                READ;                                                             \
            }                                                                     \
        }                                                                         \
        if (threadIdx.x >= 32) out[lane] = sum;                                   \
    }
RING(ring_clean, sum += slot[s][31 - lane], count(empty + s))
RING(ring_race, count(empty + s), sum += slot[s][31 - lane])

// The same with one slot and named barriers.
#define HAND_OVER(NAME, READ, EMPTIED)                             \
    K NAME(const int *in, int *out) {                             \
        __shared__ int slot[32];                                  \
        int lane = threadIdx.x % 32, sum = 0;                     \
        if (threadIdx.x >= 32) arrive(2, 64);                     \
        for (int r = 0; r < 6; r++) {                             \
            if (threadIdx.x < 32) {                               \
                meet(2, 64);                                      \
                slot[lane] = in[32 * r + lane];                   \
                arrive(1, 64);                                    \
            } else {                                              \
                meet(1, 64);                                      \
                READ;                                             \
                EMPTIED;                                          \
            }                                                     \
        }                                                         \
        if (threadIdx.x < 32) meet(2, 64);                        \
        else out[lane] = sum;                                     \
    }
HAND_OVER(hand_over_clean, sum += slot[31 - lane], arrive(2, 64))
HAND_OVER(hand_over_race, arrive(2, 64), sum += slot[31 - lane])

K block_phases_clean(const int *in, int *out) { // every thread is before the next phase's end
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&all, 64);
    __syncthreads();
    for (int r = 0; r < 4; r++) {
        s[threadIdx.x] = in[64 * r + threadIdx.x];
        all.arrive_and_wait();
        out[64 * r + threadIdx.x] = s[63 - threadIdx.x];
        all.arrive_and_wait();
    }
}
K block_phases_race(const int *in, int *out) { // nobody waits until all have read
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&all, 64);
    __syncthreads();
    for (int r = 0; r < 4; r++) {
        s[threadIdx.x] = in[64 * r + threadIdx.x];
        all.arrive_and_wait();
        out[64 * r + threadIdx.x] = s[63 - threadIdx.x];
    }
}

#define COPIED(NAME, READER_WAITS)                                                                             \
    K NAME(const int *in, int *out) { /* copies arrive for their threads */                                    \
        __shared__ int slot[32];                                                                               \
        __shared__ unsigned long long copied;                                                                  \
        int lane = threadIdx.x % 32;                                                                           \
        if (threadIdx.x == 0) begin(&copied, 32);                                                              \
        __syncthreads();                                                                                       \
        if (threadIdx.x < 32) {                                                                                \
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place(slot + lane)), "l"(in + lane)  \
                         : "memory");                                                                          \
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place(&copied)) : "memory");  \
            await(&copied, 0);                                                                                 \
        } else {                                                                                               \
            READER_WAITS;                                                                                      \
            out[lane] = slot[31 - lane];                                                                       \
        }                                                                                                      \
    }
COPIED(copies_arrive_clean, await(&copied, 0))
COPIED(copies_arrive_race, )

#define BOTH(name, grid, block, ...) \
    reset<<<1, 1024>>>(a, b, index, rows); \
    name##_clean<<<grid, block>>>(__VA_ARGS__); \
    reset<<<1, 1024>>>(a, b, index, rows); \
    name##_race<<<grid, block>>>(__VA_ARGS__)

__global__ void reset(int *a, int *b, int *index, int *rows) {
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        a[i] = b[i] = (i * 37) % 101;
        index[i] = i < 256 ? (i * 77) % 256 : i;
        rows[i] = i * 3 + i % 2;
    }
}

int main() {
    int *a, *b, *index, *rows;
    cudaMalloc(&a, 4096 * sizeof(int));
    cudaMalloc(&b, 4096 * sizeof(int));
    cudaMalloc(&index, 4096 * sizeof(int));
    cudaMalloc(&rows, 4096 * sizeof(int));
    BOTH(single_thread, 1, 64, a);
    BOTH(tile_of_block, 4, 64, a, b);
    BOTH(reversed_tiles, 16, 64, a);
    BOTH(row_pitch, 8, 100, a, 100);
    BOTH(shift_within, 1, 96, a, 96);
    BOTH(two_parameters, 1, 64, a, a);
    BOTH(read_only_cache, 1, 64, a, a);
    Range range = {a, 16, 60};
    BOTH(struct_argument, 3, 64, range);
    BOTH(last_columns, 4, 64, a, 16);
    BOTH(scatter, 4, 64, a, index);
    BOTH(rows_of_graph, 2, 64, a, rows);
    BOTH(flagged, 1, 64, a, index);
    BOTH(compact, 1, 128, a, b);
    BOTH(counted_sort, 1, 128, a, b);
    BOTH(warp_swap, 1, 128, a);
    BOTH(warp_tree, 1, 128, a, b);
    BOTH(half_warps, 1, 64, a);
    BOTH(shuffled_sum, 1, 128, a);
    BOTH(named_barriers, 1, 128, a);
    BOTH(produce_consume, 1, 64, a);
    BOTH(copied, 1, 64, a, b);
    BOTH(two_stages, 1, 64, a, b);
    BOTH(ring, 1, 64, a, b);
    BOTH(hand_over, 1, 64, a, b);
    BOTH(block_phases, 1, 64, a, b);
    BOTH(copies_arrive, 1, 64, a, b);
    BOTH(neighbours, 4, 32, a, b);
    BOTH(called, 1, 64, a);
    BOTH(block_atomics, 4, 64, a);
    BOTH(variable, 8, 4);
    BOTH(planes, dim3(2, 3, 2), dim3(8, 4, 2), a, 13, 11);
    BOTH(bitonic, 1, 128, a);
    BOTH(warp_rows, 1, 128, a, b);
    BOTH(leader_of_warp, 1, 128, a);
    BOTH(specialised, 1, 128, a, b);
    BOTH(voted, 1, 128, a, b);
    BOTH(triangle, 30, 32, a, 30);
    int *pointers[4], **table;
    for (int i = 0; i < 4; i++) pointers[i] = a + 64 * i;
    cudaMalloc(&table, sizeof pointers);
    cudaMemcpy(table, pointers, sizeof pointers, cudaMemcpyHostToDevice);
    BOTH(pointers, 4, 64, table);
    dynamic_clean<<<1, 64, 512>>>(a, 64);
    dynamic_race<<<1, 64, 512>>>(a, 64);
    return cudaDeviceSynchronize() != cudaSuccess;
}
