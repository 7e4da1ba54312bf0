// Kernels in pairs, as in bulk.cu: stages that tensor copies fill, and products of warpgroups that read them. `tensors.ptx` is
// made from this file: see README.md.

#define K extern "C" __global__ void __launch_bounds__(THREADS)
#define THREADS 160

struct alignas(64) Map {
    char bytes[128];
};

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void init(unsigned m, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(unsigned m) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(m) : "memory");
}
__device__ __forceinline__ void expect(unsigned m, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(m), "r"(bytes) : "memory");
}
__device__ __forceinline__ void load(const void *to, const Map &map, int x, int y, unsigned m) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(&map), "r"(x), "r"(y), "r"(m) : "memory");
}
__device__ __forceinline__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
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

K box_clean(const __grid_constant__ Map map, int *out) { // a block waits for one box
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(&full), sizeof s);
        load(s, map, 0, blockIdx.x, at(&full));
    }
    wait(at(&full), 0);
    out[blockIdx.x * THREADS + t] = s[THREADS - 1 - t];
}

K box_race(const __grid_constant__ Map map, int *out) { // it reads before it waits
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) init(at(&full), 1);
    __syncthreads();
    if (t == 0) {
        expect(at(&full), sizeof s);
        load(s, map, 0, blockIdx.x, at(&full));
    }
    out[blockIdx.x * THREADS + t] = s[THREADS - 1 - t];
    wait(at(&full), 0);
}

#define RING(S, PEERS)                                              \
    __shared__ alignas(1024) unsigned short a[S][A], b[S][B];       \
    __shared__ unsigned long long full[S], empty[S];                \
    int t = threadIdx.x;                                            \
    if (t == 0)                                                     \
        for (int i = 0; i < S; ++i) {                               \
            init(at(&full[i]), 1);                                  \
            init(at(&empty[i]), PEERS);                             \
        }                                                           \
    __syncthreads();                                                \
    if (t == 128) {                                                 \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {           \
            int stage = i % S, round = i / S & 1;                   \
            wait(at(&empty[stage]), round ^ 1);                     \
            expect(at(&full[stage]), sizeof a[0] + sizeof b[0]);    \
            load(a[stage], of_a, i, blockIdx.x, at(&full[stage]));  \
            load(b[stage], of_b, i, blockIdx.x, at(&full[stage]));  \
        }                                                           \
    }

#define PRODUCTS                                                                            \
    enter();                                                                                \
    for (int k = 0; k < 4; ++k) multiply(d, tile(a[stage]) + 2 * k, tile(b[stage]) + 2 * k); \
    commit();

K product_clean(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // each thread gives a stage back
    RING(4, 128)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            complete<0>();
            arrive(at(&empty[stage]));
        }
        store(out, d);
    }
}

K product_race(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // it does so before the products are complete
    RING(4, 128)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            arrive(at(&empty[stage]));
            complete<0>();
        }
        store(out, d);
    }
}

K one_arrives_clean(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // one thread of the warpgroup gives a stage back
    RING(3, 1)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 3, round = i / 3 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            complete<0>();
            if (t == 0) arrive(at(&empty[stage]));
        }
        store(out, d);
    }
}

K one_arrives_race(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // the last group may not be complete
    RING(3, 1)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 3, round = i / 3 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            complete<1>();
            if (t == 0) arrive(at(&empty[stage]));
        }
        complete<0>();
        store(out, d);
    }
}

K each_warp_arrives_clean(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // one thread of each warp
    RING(2, 4)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            complete<0>();
            if (t % 32 == 0) arrive(at(&empty[stage]));
        }
        store(out, d);
    }
}

K each_warp_arrives_race(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // two threads of each warp
    RING(2, 4)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 2, round = i / 2 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            complete<0>();
            if (t % 16 == 0) arrive(at(&empty[stage]));
        }
        store(out, d);
    }
}

K early_sum_race(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // results are read before the wait
    RING(4, 128)
    if (t < 128) {
        float d[4] = {};
#pragma unroll 1
        for (int i = 0; i < n; ++i) {
            int stage = i % 4, round = i / 4 & 1;
            wait(at(&full[stage]), round);
            PRODUCTS
            out[(blockIdx.x * THREADS + t) * 4] = d[0];
            complete<0>();
            arrive(at(&empty[stage]));
        }
    }
}

#define ROLES(LAST)                                                                                                  \
    __shared__ alignas(1024) unsigned short a[4][A], b[4][B];                                                        \
    __shared__ unsigned long long full[4], empty[4];                                                                 \
    int t = threadIdx.x, warp = __shfl_sync(0xffffffff, t / 32, 0);                                                  \
    if (t == 0)                                                                                                      \
        for (int i = 0; i < 4; ++i) {                                                                                \
            init(at(&full[i]), 1);                                                                                   \
            init(at(&empty[i]), 1);                                                                                  \
        }                                                                                                            \
    __syncthreads();                                                                                                 \
    if (warp >= LAST) {                                                                                              \
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");                                                         \
        if (elected()) {                                                                                             \
            _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                                                        \
                int stage = i % 4, round = i / 4 & 1;                                                                \
                wait(at(&empty[stage]), round ^ 1);                                                                  \
                expect(at(&full[stage]), sizeof a[0] + sizeof b[0]);                                                 \
                load(a[stage], of_a, i, blockIdx.x, at(&full[stage]));                                               \
                load(b[stage], of_b, i, blockIdx.x, at(&full[stage]));                                               \
            }                                                                                                        \
        }                                                                                                            \
    } else {                                                                                                         \
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");                                                        \
        float d[4] = {};                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                                                            \
            int stage = i % 4, round = i / 4 & 1;                                                                    \
            wait(at(&full[stage]), round);                                                                           \
            PRODUCTS                                                                                                 \
            complete<0>();                                                                                           \
            if (t == 0) arrive(at(&empty[stage]));                                                                   \
        }                                                                                                            \
        store(out, d);                                                                                               \
    }

__device__ __forceinline__ bool elected() {
    unsigned is;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is));
    return is;
}

K roles_clean(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // the last warp fills stages
    ROLES(4)
}

K roles_race(const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float *out, int n) { // the last two warps do
    ROLES(3)
}

// These need no tensor map: the virtual GPU can run them.

__device__ __forceinline__ void put(float *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

#define FILLED(STEPS, FENCE, COMPLETE, BARRIER)                                                          \
    __shared__ alignas(1024) unsigned short a[A], b[B];                                                  \
    float d[4] = {};                                                                                     \
    int t = threadIdx.x;                                                                                 \
    _Pragma("unroll 1") for (int i = 0; i < STEPS; ++i) {                                                \
        for (int k = 0; k < A / 128; ++k) a[k * 128 + t] = i + k;                                        \
        for (int k = 0; k < B / 128; ++k) b[k * 128 + t] = i - k;                                        \
        FENCE;                                                                                           \
        __syncthreads();                                                                                 \
        enter();                                                                                         \
        for (int k = 0; k < 4; ++k) multiply(d, tile(a) + 2 * k, tile(b) + 2 * k);                       \
        commit();                                                                                        \
        COMPLETE;                                                                                        \
        BARRIER;                                                                                         \
    }                                                                                                    \
    complete<0>();                                                                                       \
    store(out, d);

#define OF_A_WARPGROUP extern "C" __global__ void __launch_bounds__(128)

OF_A_WARPGROUP filled_clean(float *out, int n) { // a warpgroup fills its tiles by stores
    FILLED(n, fence(), complete<0>(), __syncthreads())
}

OF_A_WARPGROUP filled_race(float *out, int n) { // no proxy fence lies between the stores and the products
    FILLED(n, , complete<0>(), __syncthreads())
}

OF_A_WARPGROUP overlapped_clean(float *out, int n) { // one step only: nothing overwrites what goes on
    FILLED(1, fence(), , )
}

OF_A_WARPGROUP overlapped_race(float *out, int n) { // tiles are filled again while products read them
    FILLED(n, fence(), complete<1>(), __syncthreads())
}

K out_clean(float *out, int n) { // a tile is copied out and filled again
    __shared__ alignas(128) float s[THREADS];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = i;
        fence();
        __syncthreads();
        if (t == 0) {
            put(out + (blockIdx.x * n + i) * THREADS, s, sizeof s);
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

K out_race(float *out, int n) { // the last copy may still read the tile
    __shared__ alignas(128) float s[THREADS];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t] = i;
        fence();
        __syncthreads();
        if (t == 0) {
            put(out + (blockIdx.x * n + i) * THREADS, s, sizeof s);
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        __syncthreads();
    }
}

K written_clean(float *out, int n) { // what was copied out is read behind the wait
    __shared__ alignas(128) float s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    fence();
    __syncthreads();
    if (t == 0) {
        put(out + blockIdx.x * THREADS, s, sizeof s);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    out[blockIdx.x * THREADS + t] += 1;
}

K written_race(float *out, int n) { // the wait is for the reads of shared memory alone
    __shared__ alignas(128) float s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    fence();
    __syncthreads();
    if (t == 0) {
        put(out + blockIdx.x * THREADS, s, sizeof s);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
    out[blockIdx.x * THREADS + t] += 1;
}
