// Kernels in pairs, as in patterns.cu: stages that go round, clusters, and mbarriers that a whole block meets at. `rounds.ptx` is
// made from this file: see README.md.

#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

#define K extern "C" __global__ void

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy4(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

K __launch_bounds__(128) toggle_clean(const float *a, float *b, int n) { // two buffers in turns, one barrier a turn
    __shared__ float s[2][128];
    int t = threadIdx.x, k = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[k][t] = a[i * 128 + t];
        __syncthreads();
        b[(blockIdx.x * n + i) * 128 + t] = s[k][127 - t];
        k ^= 1;
    }
}
K __launch_bounds__(128) toggle_race(const float *a, float *b, int n) { // one of two buffers is not enough for what is read a turn later
    __shared__ float s[2][128];
    int t = threadIdx.x, k = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[k][t] = a[i * 128 + t];
        __syncthreads();
        k ^= 1;
        b[(blockIdx.x * n + i) * 128 + t] = s[k][127 - t];
    }
}

K __launch_bounds__(128) ring_clean(const float *a, float *b, int n) { // three stages that go round
    __shared__ float s[3][128];
    int t = threadIdx.x, k = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[k][t] = a[i * 128 + t];
        __syncthreads();
        b[(blockIdx.x * n + i) * 128 + t] = s[k][127 - t];
        k = k + 1 == 3 ? 0 : k + 1;
    }
}
K __launch_bounds__(128) ring_race(const float *a, float *b, int n) { // and one that is written while it is read
    __shared__ float s[3][128];
    int t = threadIdx.x, k = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[k][t] = a[i * 128 + t];
        __syncthreads();
        k = k + 1 == 3 ? 0 : k + 1;
        b[(blockIdx.x * n + i) * 128 + t] = s[k][127 - t];
    }
}

K __launch_bounds__(128) toggled_copies_clean(const float *a, float *b, int n) { // a pipeline whose stage is toggled
    __shared__ float s[2][128];
    int t = threadIdx.x, stage = 0;
    if (n <= 0) return;
    copy4(&s[0][t], &a[t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) copy4(&s[stage ^ 1][t], &a[(k + 1) * 128 + t]);
        commit();
        wait<1>();
        __syncthreads();
        sum += s[stage][127 - t];
        __syncthreads();
        stage ^= 1;
    }
    b[blockIdx.x * 128 + t] = sum;
}
K __launch_bounds__(128) toggled_copies_race(const float *a, float *b, int n) { // the second barrier is missing
    __shared__ float s[2][128];
    int t = threadIdx.x, stage = 0;
    if (n <= 0) return;
    copy4(&s[0][t], &a[t]);
    commit();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        if (k + 1 < n) copy4(&s[stage ^ 1][t], &a[(k + 1) * 128 + t]);
        commit();
        wait<1>();
        __syncthreads();
        sum += s[stage][127 - t];
        stage ^= 1;
    }
    b[blockIdx.x * 128 + t] = sum;
}

K __launch_bounds__(128) cluster_sync_clean(const float *a, float *b) { // a cluster's barrier is one of each of its blocks
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    cg::this_cluster().sync();
    b[blockIdx.x * 128 + t] = s[127 - t];
}
K __launch_bounds__(128) cluster_sync_race(const float *a, float *b) { // between arrival and wait nothing is ordered
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    b[blockIdx.x * 128 + t] = s[127 - t];
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

K __launch_bounds__(128) arrive_and_wait_clean(const float *a, float *b, int n) { // libcu++'s barrier of a block
    __shared__ float s[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = a[i * 128 + t];
        bar.arrive_and_wait();
        b[(blockIdx.x * n + i) * 128 + t] = s[127 - t];
        bar.arrive_and_wait();
    }
}
K __launch_bounds__(128) arrive_and_wait_race(const float *a, float *b, int n) { // once a turn is not enough
    __shared__ float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = a[i * 128 + t];
        bar.arrive_and_wait();
        b[(blockIdx.x * n + i) * 128 + t] = s[127 - t];
    }
}

__device__ __forceinline__ void meet(unsigned m, unsigned parity) { // arrives, and waits for a phase of that parity
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(m) : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(m), "r"(parity)
                     : "memory");
}
__device__ __forceinline__ void begin(unsigned m, unsigned count) {
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
    __syncthreads();
}

K __launch_bounds__(128) parity_clean(const float *a, float *b, int n) { // phases told apart by a parity that is toggled
    __shared__ float s[2][128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    unsigned phase = 0;
    begin(at(&bar), blockDim.x);
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[phase][t] = a[i * 128 + t];
        meet(at(&bar), phase);
        b[(blockIdx.x * n + i) * 128 + t] = s[phase][127 - t];
        phase ^= 1;
    }
}
K __launch_bounds__(128) parity_race(const float *a, float *b, int n) { // meets before it stores
    __shared__ float s[2][128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    unsigned phase = 0;
    begin(at(&bar), blockDim.x);
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        meet(at(&bar), phase);
        s[phase][t] = a[i * 128 + t];
        b[(blockIdx.x * n + i) * 128 + t] = s[phase][127 - t];
        phase ^= 1;
    }
}

K __launch_bounds__(128) counted_clean(const float *a, float *b) { // two phases, one after the other
    __shared__ float s[128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    begin(at(&bar), blockDim.x);
    s[t] = a[t];
    meet(at(&bar), 0);
    float x = s[127 - t];
    meet(at(&bar), 1);
    s[t] = x;
    b[blockIdx.x * 128 + t] = s[t];
}
K __launch_bounds__(128) counted_race(const float *a, float *b) { // only one of them
    __shared__ float s[128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    begin(at(&bar), blockDim.x);
    s[t] = a[t];
    meet(at(&bar), 0);
    float x = s[127 - t];
    s[t] = x;
    b[blockIdx.x * 128 + t] = s[t];
}
