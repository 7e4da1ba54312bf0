// Kernels in pairs, as in patterns.cu: threads that wait for each other by mbarriers. `pipelines.ptx` is made from this file: see
// README.md.

#include <cuda/barrier>

#define K extern "C" __global__ void

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
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

K __launch_bounds__(128) split_clean(const float *a, float *b, int n) { // work between arriving and waiting
    __shared__ float s[2][128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) init(at(&bar), blockDim.x);
    __syncthreads();
    float own = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[i & 1][t] = a[i * 128 + t];
        arrive(at(&bar));
        own += a[i * 128 + t];
        wait(at(&bar), i & 1);
        b[(blockIdx.x * n + i) * 128 + t] = s[i & 1][127 - t] + own;
    }
}
K __launch_bounds__(128) split_race(const float *a, float *b, int n) { // it reads before it has waited
    __shared__ float s[2][128];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) init(at(&bar), blockDim.x);
    __syncthreads();
    float own = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[i & 1][t] = a[i * 128 + t];
        arrive(at(&bar));
        own += s[i & 1][127 - t];
        wait(at(&bar), i & 1);
        b[(blockIdx.x * n + i) * 128 + t] = own;
    }
}

K __launch_bounds__(128) token_clean(const float *a, float *b, int n) { // libcu++'s barrier, work between
    __shared__ float s[2][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    float own = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[i & 1][t] = a[i * 128 + t];
        auto token = bar.arrive();
        own += a[i * 128 + t];
        bar.wait(std::move(token));
        b[(blockIdx.x * n + i) * 128 + t] = s[i & 1][127 - t] + own;
    }
}
K __launch_bounds__(128) token_race(const float *a, float *b, int n) { // one buffer is written while it is read
    __shared__ float s[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    float own = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[0][t] = a[i * 128 + t];
        auto token = bar.arrive();
        own += a[i * 128 + t];
        bar.wait(std::move(token));
        b[(blockIdx.x * n + i) * 128 + t] = s[0][127 - t] + own;
    }
}

K __launch_bounds__(64) handed_over_clean(const float *a, float *b, int n) { // one warp stores, one loads
    __shared__ float s[32];
    __shared__ unsigned long long full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(at(&full), 32);
        init(at(&empty), 32);
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&empty), (i & 1) ^ 1);
            s[t] = a[i * 32 + t];
            arrive(at(&full));
        }
    } else if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&full), i & 1);
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[63 - t];
            arrive(at(&empty));
        }
    }
}
K __launch_bounds__(64) handed_over_race(const float *a, float *b, int n) { // the reader says too early that it has read
    __shared__ float s[32];
    __shared__ unsigned long long full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(at(&full), 32);
        init(at(&empty), 32);
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&empty), (i & 1) ^ 1);
            s[t] = a[i * 32 + t];
            arrive(at(&full));
        }
    } else if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&full), i & 1);
            arrive(at(&empty));
            b[(blockIdx.x * n + i) * 32 + t - 32] = s[63 - t];
        }
    }
}

K __launch_bounds__(128) four_stages_clean(const float *a, float *b, int n) { // a ring of four, in one loop
    __shared__ float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t < 4) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), blockDim.x - 32);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        int stage = i & 3, round = i >> 2 & 1;
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
K __launch_bounds__(128) four_stages_race(const float *a, float *b, int n) { // of four stages, two are one
    __shared__ float s[4][32];
    __shared__ unsigned long long full[4], empty[4];
    int t = threadIdx.x;
    if (t < 4) {
        init(at(&full[t]), 32);
        init(at(&empty[t]), blockDim.x - 32);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        int stage = i & 3, round = i >> 2 & 1;
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

K __launch_bounds__(128) wrapped_clean(const float *a, float *b, int n) { // a stage and a parity that are kept
    __shared__ float s[3][64];
    __shared__ unsigned long long full[3], empty[3];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 3; ++i) {
            init(at(&full[i]), 64);
            init(at(&empty[i]), 64);
        }
    __syncthreads();
    int stage = 0, round = 0;
    if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&empty[stage]), round ^ 1);
            s[stage][t] = a[i * 64 + t];
            arrive(at(&full[stage]));
            if (++stage == 3) {
                stage = 0;
                round ^= 1;
            }
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 64 + t - 64] = s[stage][127 - t];
            arrive(at(&empty[stage]));
            if (++stage == 3) {
                stage = 0;
                round ^= 1;
            }
        }
    }
}
K __launch_bounds__(128) wrapped_race(const float *a, float *b, int n) { // who stores does not wait for who loads
    __shared__ float s[3][64];
    __shared__ unsigned long long full[3], empty[3];
    int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 3; ++i) {
            init(at(&full[i]), 64);
            init(at(&empty[i]), 64);
        }
    __syncthreads();
    int stage = 0, round = 0;
    if (t < 64) {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            s[stage][t] = a[i * 64 + t];
            wait(at(&empty[stage]), round ^ 1);
            arrive(at(&full[stage]));
            if (++stage == 3) {
                stage = 0;
                round ^= 1;
            }
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            wait(at(&full[stage]), round);
            b[(blockIdx.x * n + i) * 64 + t - 64] = s[stage][127 - t];
            arrive(at(&empty[stage]));
            if (++stage == 3) {
                stage = 0;
                round ^= 1;
            }
        }
    }
}
