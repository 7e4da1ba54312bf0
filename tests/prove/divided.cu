// Kernels in pairs, as in patterns.cu, that divide by constants: nvcc multiplies with inverses, and shifts. `divided.ptx` is made
// from this file: see README.md.

#define K extern "C" __global__ void

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy4(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ void init(unsigned m, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(unsigned m) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(m) : "memory");
}
__device__ __forceinline__ void wait(unsigned m, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(m), "r"(parity)
                     : "memory");
}

K __launch_bounds__(128) third_stage_clean(const float *a, float *b, int n) { // three stages, a barrier a turn
    __shared__ float s[3][128];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[i % 3][t] = a[i * 128 + t];
        __syncthreads();
        b[(blockIdx.x * n + i) * 128 + t] = s[i % 3][127 - t];
    }
}
K __launch_bounds__(128) third_stage_race(const float *a, float *b, int n) { // the next turn writes what is read
    __shared__ float s[3][128];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[i % 3][t] = a[i * 128 + t];
        __syncthreads();
        b[(blockIdx.x * n + i) * 128 + t] = s[(i + 1) % 3][127 - t];
    }
}

K __launch_bounds__(128) ahead_clean(const float *a, float *b, int n) { // copies two stages ahead of what is read
    __shared__ float s[3][128];
    int t = threadIdx.x;
    for (unsigned i = 0; i < 2; ++i) {
        copy4(&s[i][t], &a[i * 128 + t]);
        commit();
    }
#pragma unroll 1
    for (unsigned i = 0; i < n; ++i) {
        wait<1>();
        __syncthreads();
        copy4(&s[(i + 2) % 3][t], &a[(i + 2) * 128 + t]);
        commit();
        b[(blockIdx.x * n + i) * 128 + t] = s[i % 3][127 - t];
    }
    wait<0>();
}
K __launch_bounds__(128) ahead_race(const float *a, float *b, int n) { // and three ahead, of three
    __shared__ float s[3][128];
    int t = threadIdx.x;
    for (unsigned i = 0; i < 2; ++i) {
        copy4(&s[i][t], &a[i * 128 + t]);
        commit();
    }
#pragma unroll 1
    for (unsigned i = 0; i < n; ++i) {
        wait<1>();
        __syncthreads();
        copy4(&s[(i + 3) % 3][t], &a[(i + 3) * 128 + t]);
        commit();
        b[(blockIdx.x * n + i) * 128 + t] = s[i % 3][127 - t];
    }
    wait<0>();
}

K __launch_bounds__(128) three_stages_clean(const float *a, float *b, int n) { // producers and consumers
    __shared__ float s[3][32];
    __shared__ unsigned long long full[3], empty[3];
    int t = threadIdx.x;
    if (t < 3) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), blockDim.x - 32);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        int stage = i % 3, round = i / 3 & 1;
        if (t < 32) {
            wait(at(&empty[stage]), round ^ 1);
            s[stage][t] = a[i * 32 + t];
            arrive(at(&full[stage]));
        } else {
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 128 + t] = s[stage][t & 31];
            arrive(at(&empty[stage]));
        }
    }
}
K __launch_bounds__(128) three_stages_race(const float *a, float *b, int n) { // of three stages of data, two are one
    __shared__ float s[3][32];
    __shared__ unsigned long long full[3], empty[3];
    int t = threadIdx.x;
    if (t < 3) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), blockDim.x - 32);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        int stage = i % 3, round = i / 3 & 1;
        if (t < 32) {
            wait(at(&empty[stage]), round ^ 1);
            s[stage & 2][t] = a[i * 32 + t];
            arrive(at(&full[stage]));
        } else {
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 128 + t] = s[stage & 2][t & 31];
            arrive(at(&empty[stage]));
        }
    }
}

K rows_clean(const float *a, float *b, int n) { // rows and columns of seven, with a sign
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 7 * n) b[i % 7 * n + i / 7] = a[i];
}
K rows_race(const float *a, float *b, int n) { // rows of eight
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 7 * n) b[i % 7 * n + i / 8] = a[i];
}

K columns_clean(const float *a, float *b, unsigned n) { // columns of five, without one
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 5 * n) b[i % 5 * n + i / 5] = a[i];
}
K columns_race(const float *a, float *b, unsigned n) { // columns are shorter than is stored
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 5 * n) b[i % 5 * (n - 1) + i / 5] = a[i];
}

K sevenths_clean(const float *a, float *b, unsigned n) { // what is added back
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 == 3) b[i / 7] = a[i];
}
K sevenths_race(const float *a, float *b, unsigned n) { // two of seven
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 > 4) b[i / 7] = a[i];
}

K dozens_clean(const float *a, float *b, unsigned n) { // shifted first: 12 and 14
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 12 == 11) b[i / 12] = a[i];
    if (i % 14 == 13) b[n + i / 14] = a[i];
}
K dozens_race(const float *a, float *b, unsigned n) { // both in one place
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 12 == 11) b[i / 12] = a[i];
    if (i % 14 == 13) b[i / 14] = a[i];
}

K thirds_clean(float *a, int n) { // a third of an argument whose sign is not known
    int i = blockIdx.x * blockDim.x + threadIdx.x, third = n / 3;
    if (i < third) a[i] = a[i + third];
}
K thirds_race(float *a, int n) { // one less
    int i = blockIdx.x * blockDim.x + threadIdx.x, third = n / 3;
    if (i < third) a[i] = a[i + third - 1];
}

K __launch_bounds__(128) around_zero_clean(const float *a, float *b) { // quotients and remainders with a sign
    __shared__ float s[256];
    int d = (int)threadIdx.x - 64;
    s[(d / 3 + 22) * 5 + d % 3] = a[threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}
K __launch_bounds__(128) around_zero_race(const float *a, float *b) { // that overlap
    __shared__ float s[256];
    int d = (int)threadIdx.x - 64;
    s[(d / 3 + 22) * 2 + d % 3] = a[threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

K __launch_bounds__(96) neighbour_clean(const float *a, float *b) { // each one's neighbour in a circle
    __shared__ float s[96];
    int t = threadIdx.x;
    s[(t + 1) % 96] = a[t];
    __syncthreads();
    b[blockIdx.x * 96 + t] = s[t];
}
K __launch_bounds__(96) neighbour_race(const float *a, float *b) { // a circle that is too small
    __shared__ float s[96];
    int t = threadIdx.x;
    s[(t + 1) % 95] = a[t];
    __syncthreads();
    b[blockIdx.x * 96 + t] = s[t];
}

K __launch_bounds__(128) narrow_clean(const float *a, float *b) { // of 16 bits
    __shared__ float s[129];
    unsigned short t = threadIdx.x;
    s[t / 3 + t % 3 * 43] = a[t];
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[t];
}
K __launch_bounds__(128) narrow_race(const float *a, float *b) {
    __shared__ float s[129];
    unsigned short t = threadIdx.x;
    s[t / 3 + t % 3 * 42] = a[t];
    __syncthreads();
    b[blockIdx.x * 128 + t] = s[t];
}

K wide_clean(const float *a, float *b, unsigned long long n) { // of 64 bits
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 == 6) b[i / 7] = a[i];
}
K wide_race(const float *a, float *b, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 >= 5) b[i / 7] = a[i];
}

K wide_signed_clean(const float *a, float *b, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 * n) b[i % 3 * n + i / 3] = a[i];
}
K wide_signed_race(const float *a, float *b, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 * n) b[i % 3 * n + i / 4] = a[i];
}

K __launch_bounds__(128) halves_clean(const float *a, float *b) { // powers of two, of numbers with a sign
    __shared__ float s[256];
    int d = (int)threadIdx.x - 64;
    s[(d / 4 + 20) * 7 + d % 4] = a[threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}
K __launch_bounds__(128) halves_race(const float *a, float *b) {
    __shared__ float s[256];
    int d = (int)threadIdx.x - 64;
    s[(d / 4 + 20) * 3 + d % 4] = a[threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}
