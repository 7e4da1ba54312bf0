// Kernels in pairs, as in tensors.cu: stages that consumers give back a turn or two behind the one that has used them, and
// stages that are waited for or filled before the loop. `delayed.ptx` is made from this file: see README.md.

#define K extern "C" __global__ void __launch_bounds__(THREADS)
#define THREADS 160

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(unsigned m, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void arrive(unsigned m) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(m) : "memory");
}
__device__ __forceinline__ void expect(unsigned m, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(m), "r"(bytes) : "memory");
}
__device__ __forceinline__ void load(const void *to, const void *from, unsigned bytes, unsigned m) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(m) : "memory");
}
__device__ __forceinline__ void wait(unsigned m, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(m), "r"(parity)
                     : "memory");
}

// A tile of rows of 128 bytes, swizzled.
__device__ __forceinline__ unsigned long long tile(const void *p) {
    return (1ull << 62) | (64ull << 32) | (1ull << 16) | ((at(p) & 0x3ffff) >> 4);
}
__device__ __forceinline__ void enter() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void complete() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void multiply(float (&d)[4], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory");
}
__device__ __forceinline__ void store(float *out, const float (&d)[4]) {
    for (int i = 0; i < 4; ++i) out[(blockIdx.x * THREADS + threadIdx.x) * 4 + i] = d[i];
}

constexpr int A = 64 * 64, B = 8 * 64;

#define RING(S, PEERS)                                                                       \
    __shared__ alignas(1024) unsigned short a[S][A], b[S][B];                                \
    __shared__ unsigned long long full[S], empty[S];                                         \
    int t = threadIdx.x;                                                                     \
    if (t == 0)                                                                              \
        for (int i = 0; i < S; ++i) {                                                        \
            init(at(&full[i]), 1);                                                           \
            init(at(&empty[i]), PEERS);                                                      \
        }                                                                                    \
    __syncthreads();                                                                         \
    if (t == 128) {                                                                          \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                                    \
            int stage = i % S, round = i / S & 1;                                            \
            wait(at(&empty[stage]), round ^ 1);                                              \
            expect(at(&full[stage]), sizeof a[0] + sizeof b[0]);                             \
            load(a[stage], of_a + i * A, sizeof a[0], at(&full[stage]));                     \
            load(b[stage], of_b + i * B, sizeof b[0], at(&full[stage]));                     \
        }                                                                                    \
    }

#define PRODUCTS(STAGE)                                                                                 \
    enter();                                                                                            \
    for (int k = 0; k < 4; ++k) multiply(d, tile(a[STAGE]) + 2 * k, tile(b[STAGE]) + 2 * k);            \
    commit();

#define OF (const unsigned short *of_a, const unsigned short *of_b, float *out, int n)

#define GUARDED(S, LEFT, LATER)                                     \
    RING(S, 1)                                                      \
    if (t < 128) {                                                  \
        float d[4] = {};                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {           \
            int stage = i % S, round = i / S & 1;                   \
            wait(at(&full[stage]), round);                          \
            PRODUCTS(stage)                                         \
            complete<LEFT>();                                       \
            if (i >= LATER && t == 0) arrive(at(&empty[(unsigned)(i - LATER) % S])); \
        }                                                           \
        complete<0>();                                              \
        store(out, d);                                              \
    }

K guarded_clean OF { // a stage is given back in the turn behind its own
    GUARDED(4, 1, 1)
}
K guarded_race OF { // two groups may go on
    GUARDED(4, 2, 1)
}
K two_later_clean OF { // two turns behind its own
    GUARDED(3, 2, 2)
}
K two_later_race OF { // all three
    GUARDED(3, 3, 2)
}

#define PROLOGUE(S, LEFT)                                    \
    RING(S, 128)                                                    \
    if (t < 128 && n > 0) {                                         \
        float d[4] = {};                                            \
        int stage = 0, last = 0;                                \
        wait(at(&full[0]), 0);                                      \
        PRODUCTS(0)                                                 \
        unsigned round = 0;                                              \
        if (++stage == S) stage = 0, round ^= 1;                    \
        _Pragma("unroll 1") for (int i = 1; i < n; ++i) {           \
            wait(at(&full[stage]), round);                          \
            PRODUCTS(stage)                                         \
            complete<LEFT>();                                       \
            arrive(at(&empty[last]));                              \
            if (++stage == S) stage = 0, round ^= 1;                \
            if (++last == S) last = 0;                              \
        }                                                           \
        complete<0>();                                              \
        store(out, d);                                              \
    }

K prologue_clean OF { // the first stage is used before the loop
    PROLOGUE(4, 1)
}
K prologue_race OF { // two groups may go on
    PROLOGUE(4, 2)
}

// A block of which one thread fills stages: as many as there are but one before the loop.
#define FILLED(S, AHEAD, BARRIER)                                                                  \
    __shared__ alignas(128) float s[S][THREADS];                                                   \
    __shared__ unsigned long long full[S];                                                         \
    int t = threadIdx.x;                                                                           \
    float sum = 0;                                                                                 \
    if (t == 0)                                                                                    \
        for (int i = 0; i < S; ++i) init(at(&full[i]), 1);                                         \
    __syncthreads();                                                                               \
    if (t == 0)                                                                                    \
        for (int i = 0; i < S - 1; ++i) {                                                          \
            expect(at(&full[i]), sizeof s[0]);                                                     \
            load(s[i], in + i * THREADS, sizeof s[0], at(&full[i]));                               \
        }                                                                                          \
    _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                                              \
        wait(at(&full[(unsigned)i % S]), (unsigned)i / S & 1);                                     \
        BARRIER;                                                                                   \
        if (t == 0 && i + S - 1 < n) {                                                             \
            unsigned next = (unsigned)(i + AHEAD) % S;                                             \
            expect(at(&full[next]), sizeof s[0]);                                                  \
            load(s[next], in + (i + S - 1) * THREADS, sizeof s[0], at(&full[next]));               \
        }                                                                                          \
        sum += s[(unsigned)i % S][THREADS - 1 - t];                                                \
        fence();                                                                                   \
    }                                                                                              \
    out[blockIdx.x * THREADS + t] = sum;

K filled_clean(const float *in, float *out, int n) { // a barrier stands between the reads of a stage and its next copy
    FILLED(4, 3, __syncthreads())
}
K filled_race(const float *in, float *out, int n) { // none does
    FILLED(4, 3, )
}

// One thread that fills all stages before the loop, and each one again when it was given back.
#define REFILLED(S, BEFORE, BEHIND)                                                                \
    __shared__ alignas(128) float s[S][128];                                                       \
    __shared__ unsigned long long full[S], empty[S];                                               \
    int t = threadIdx.x;                                                                           \
    if (t == 0)                                                                                    \
        for (int i = 0; i < S; ++i) {                                                              \
            init(at(&full[i]), 1);                                                                 \
            init(at(&empty[i]), 128);                                                              \
        }                                                                                          \
    __syncthreads();                                                                               \
    if (t == 128) {                                                                                \
        for (int i = 0; i < S; ++i) {                                                              \
            expect(at(&full[i]), sizeof s[0]);                                                     \
            load(s[i], in + i * 128, sizeof s[0], at(&full[i]));                                   \
        }                                                                                          \
        _Pragma("unroll 1") for (int i = 0; i < n - S; ++i) {                                      \
            unsigned stage = (unsigned)i % S;                                                      \
            wait(at(&empty[stage]), (unsigned)i / S & 1);                                          \
            expect(at(&full[stage]), sizeof s[0]);                                                 \
            load(s[stage], in + (i + S) * 128, sizeof s[0], at(&full[stage]));                     \
        }                                                                                          \
    } else if (t < 128) {                                                                          \
        float sum = 0;                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                                          \
            unsigned stage = (unsigned)i % S;                                                      \
            wait(at(&full[stage]), (unsigned)i / S & 1);                                           \
            BEFORE;                                                                                \
            sum += s[stage][127 - t];                                                              \
            fence();                                                                               \
            BEHIND;                                                                                \
        }                                                                                          \
        out[blockIdx.x * 128 + t] = sum;                                                           \
    }

K refilled_clean(const float *in, float *out, int n) { // a stage is given back when it was read
    REFILLED(4, , arrive(at(&empty[stage])))
}
K refilled_race(const float *in, float *out, int n) { // it is given back before
    REFILLED(4, arrive(at(&empty[stage])), )
}
