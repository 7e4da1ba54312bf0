// Kernels in pairs, as in patterns.cu, with asynchronous copies and matrices. `pipelined.ptx` is made from this file: see README.md.

#include <cuda_fp16.h>
#include <mma.h>

#define K extern "C" __global__ void

__device__ __forceinline__ void copy(void *to, const void *from) { // 16 bytes
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from) : "memory");
}
__device__ __forceinline__ void copy4(void *to, const void *from) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

K tile_clean(const float *a, float *b) {
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    wait_all();
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[127 - t];
}
K tile_race(const float *a, float *b) { // waits behind the barrier: others' copies may go on
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    __syncthreads();
    wait_all();
    b[blockIdx.x * 128 + t] = s[127 - t];
}

K own_clean(const float *a, float *b) { // each thread its own: no barrier
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    commit();
    wait<0>();
    b[blockIdx.x * 128 + t] = s[t];
}
K own_race(const float *a, float *b) { // never waits
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    commit();
    b[blockIdx.x * 128 + t] = s[t];
}

K uncommitted_clean(const float *a, float *b) {
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    commit();
    wait<0>();
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[127 - t];
}
K uncommitted_race(const float *a, float *b) { // waits for groups, and the copy is in none
    __shared__ float s[128];
    int t = threadIdx.x;
    copy4(&s[t], &a[blockIdx.x * 128 + t]);
    wait<0>();
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[127 - t];
}

K __launch_bounds__(128) groups_clean(const float *a, float *b) { // two groups, the first one is used first
    __shared__ float s[2][128];
    int t = threadIdx.x;
    copy4(&s[0][t], &a[t]);
    commit();
    copy4(&s[1][t], &a[128 + t]);
    commit();
    wait<1>();
    __syncthreads();
    b[blockIdx.x * 256 + t] = s[0][127 - t];
    wait<0>();
    __syncthreads();
    b[blockIdx.x * 256 + 128 + t] = s[1][127 - t];
}
K __launch_bounds__(128) groups_race(const float *a, float *b) { // the second one is used while it may go on
    __shared__ float s[2][128];
    int t = threadIdx.x;
    copy4(&s[0][t], &a[t]);
    commit();
    copy4(&s[1][t], &a[128 + t]);
    commit();
    wait<1>();
    __syncthreads();
    b[blockIdx.x * 256 + t] = s[1][127 - t];
}

K source_clean(float *a) { // what is copied is overwritten behind the wait
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t < 128) {
        copy4(&s[t], &a[i]);
        wait_all();
        a[i] = 0;
    }
}
K source_race(float *a) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t < 128) {
        copy4(&s[t], &a[i]);
        a[i] = 0;
        wait_all();
    }
}

K __launch_bounds__(128) double_clean(const float *a, float *b, int n) { // a pipeline of two stages
    __shared__ float s[2][128];
    int t = threadIdx.x;
    if (n <= 0) return;
    copy4(&s[0][t], &a[t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) copy4(&s[(k + 1) & 1][t], &a[(k + 1) * 128 + t]);
        commit();
        wait<1>();
        __syncthreads();
        sum += s[k & 1][127 - t];
        __syncthreads();
    }
    b[blockIdx.x * 128 + t] = sum;
}
K __launch_bounds__(128) double_race(const float *a, float *b, int n) { // the second barrier is missing
    __shared__ float s[2][128];
    int t = threadIdx.x;
    if (n <= 0) return;
    copy4(&s[0][t], &a[t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) copy4(&s[(k + 1) & 1][t], &a[(k + 1) * 128 + t]);
        commit();
        wait<1>();
        __syncthreads();
        sum += s[k & 1][127 - t];
    }
    b[blockIdx.x * 128 + t] = sum;
}

K __launch_bounds__(128) stages_clean(const float *a, float *b, int n) { // three stages and one barrier a turn
    __shared__ float s[4][128];
    int t = threadIdx.x;
    copy4(&s[0][t], &a[t]);
    commit();
    copy4(&s[1][t], &a[128 + t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        wait<1>();
        __syncthreads();
        copy4(&s[(k + 2) & 3][t], &a[(k + 2) * 128 + t]);
        commit();
        sum += s[k & 3][127 - t];
    }
    b[blockIdx.x * 128 + t] = sum;
}
K __launch_bounds__(128) stages_race(const float *a, float *b, int n) { // waits for one group too few
    __shared__ float s[4][128];
    int t = threadIdx.x;
    copy4(&s[0][t], &a[t]);
    commit();
    copy4(&s[1][t], &a[128 + t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        wait<2>();
        __syncthreads();
        copy4(&s[(k + 2) & 3][t], &a[(k + 2) * 128 + t]);
        commit();
        sum += s[k & 3][127 - t];
    }
    b[blockIdx.x * 128 + t] = sum;
}

K wide_clean(const float4 *a, float *b) { // 16 bytes each
    __shared__ __align__(16) float s[512];
    int t = threadIdx.x;
    copy(&s[4 * t], &a[blockIdx.x * 128 + t]);
    wait_all();
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[511 - t];
}
K wide_race(const float4 *a, float *b) { // two threads copy to one place
    __shared__ __align__(16) float s[512];
    int t = threadIdx.x;
    copy(&s[4 * (t / 2)], &a[blockIdx.x * 128 + t]);
    wait_all();
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[511 - t];
}

__device__ __forceinline__ unsigned load4(const void *row) {
    unsigned s = (unsigned)__cvta_generic_to_shared(row), a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(s)
                 : "memory");
    return a + b + c + d;
}
__device__ __forceinline__ unsigned load1(const void *row) {
    unsigned s = (unsigned)__cvta_generic_to_shared(row), a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(s) : "memory");
    return a;
}
__device__ __forceinline__ void store1(void *row, unsigned a) {
    unsigned s = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(s), "r"(a) : "memory");
}

K fragments_clean(const uint4 *a, unsigned *b) { // a warp loads the rows that another one has put
    __shared__ uint4 s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    b[blockIdx.x * 64 + t] = load4(&s[t ^ 32]);
}
K fragments_race(const uint4 *a, unsigned *b) { // before they are all there
    __shared__ uint4 s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    b[blockIdx.x * 64 + t] = load4(&s[t ^ 32]);
}

K lanes_clean(const uint4 *a, unsigned *b) { // the first eight lanes' rows; the others' addresses are not used
    __shared__ uint4 s[8 * 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane < 8) s[warp * 8 + lane] = a[lane];
    __syncwarp();
    b[blockIdx.x * blockDim.x + threadIdx.x] = load1(&s[warp * 8 + lane % 8]);
}
K lanes_race(const uint4 *a, unsigned *b) { // each lane gets parts of rows that others have written
    __shared__ uint4 s[8 * 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane < 8) s[warp * 8 + lane] = a[lane];
    b[blockIdx.x * blockDim.x + threadIdx.x] = load1(&s[warp * 8 + (lane + 1) % 8]);
}

K put_clean(unsigned *b) { // each warp has rows of its own
    __shared__ uint4 s[8 * 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    store1(&s[warp * 8 + lane % 8], threadIdx.x);
    __syncthreads();
    b[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x % 32].x;
}
K put_race(unsigned *b) { // rows of warps overlap
    __shared__ uint4 s[8 * 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    store1(&s[warp * 4 + lane % 8], threadIdx.x);
    __syncthreads();
    b[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x % 32].x;
}

using namespace nvcuda::wmma;
typedef fragment<matrix_a, 16, 16, 16, half, row_major> A;
typedef fragment<matrix_b, 16, 16, 16, half, col_major> B;
typedef fragment<accumulator, 16, 16, 16, float> C;

K product_clean(const half *a, const half *b, float *c, int tiles) { // a tile for each warp
    int warp = blockIdx.x * 32 + threadIdx.x / 32;
    A x;
    B y;
    C z;
    fill_fragment(z, 0.0f);
#pragma unroll 1
    for (int k = 0; k < tiles; ++k) {
        load_matrix_sync(x, a + k * 256, 16);
        load_matrix_sync(y, b + k * 256, 16);
        mma_sync(z, x, y, z);
    }
    store_matrix_sync(c + warp * 256, z, 16, mem_row_major);
}
K product_race(const half *a, const half *b, float *c, int tiles) { // tiles that overlap
    int warp = blockIdx.x * 32 + threadIdx.x / 32;
    A x;
    B y;
    C z;
    fill_fragment(z, 0.0f);
#pragma unroll 1
    for (int k = 0; k < tiles; ++k) {
        load_matrix_sync(x, a + k * 256, 16);
        load_matrix_sync(y, b + k * 256, 16);
        mma_sync(z, x, y, z);
    }
    store_matrix_sync(c + warp * 128, z, 16, mem_row_major);
}

K staged_clean(const half *a, float *c) { // the matrix is put into shared memory first
    __shared__ __align__(32) half s[256];
    __shared__ __align__(32) float d[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = a[i];
    __syncthreads();
    if (threadIdx.x < 32) {
        A x;
        B y;
        C z;
        fill_fragment(z, 0.0f);
        load_matrix_sync(x, s, 16);
        load_matrix_sync(y, s, 16);
        mma_sync(z, x, y, z);
        store_matrix_sync(d, z, 16, mem_row_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) c[blockIdx.x * 256 + i] = d[i];
}
K staged_race(const half *a, float *c) { // and read too early
    __shared__ __align__(32) half s[256];
    __shared__ __align__(32) float d[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = a[i];
    __syncthreads();
    if (threadIdx.x < 32) {
        A x;
        B y;
        C z;
        fill_fragment(z, 0.0f);
        load_matrix_sync(x, s, 16);
        load_matrix_sync(y, s, 16);
        mma_sync(z, x, y, z);
        store_matrix_sync(d, z, 16, mem_row_major);
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x) c[blockIdx.x * 256 + i] = d[i];
}
