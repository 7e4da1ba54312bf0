// Kernels in pairs, as in patterns.cu: named barriers of some warps of a block. `named.ptx` is made from this file: see
// README.md.

#define K extern "C" __global__ void __launch_bounds__(128)

// Numbers in registers, as libraries write them.
__device__ __forceinline__ void sync(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ __forceinline__ void arrive(int id, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory"); }

K handed_clean(int *b) { // one warp arrives, the other one waits
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
        arrive(1, 64);
    } else if (t < 64) {
        sync(1, 64);
        b[blockIdx.x * 32 + t - 32] = s[63 - t];
    }
}

K handed_race(int *b) { // it stores behind its arrival
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        arrive(1, 64);
        s[t] = t;
    } else if (t < 64) {
        sync(1, 64);
        b[blockIdx.x * 32 + t - 32] = s[63 - t];
    }
}

K group_clean(const int *a, int *b, int n) { // two warps exchange numbers, the others have another barrier
    __shared__ int s[2][64];
    int group = threadIdx.x / 64, t = threadIdx.x % 64, sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[group][t] = a[i * 64 + t];
        sync(1 + group, 64);
        sum += s[group][63 - t];
        sync(1 + group, 64);
    }
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

K group_race(const int *a, int *b, int n) { // the next number is stored before the last one is read
    __shared__ int s[2][64];
    int group = threadIdx.x / 64, t = threadIdx.x % 64, sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[group][t] = a[i * 64 + t];
        sync(1 + group, 64);
        sum += s[group][63 - t];
    }
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

K twice_clean(int *b) { // the same barrier twice, by the last two warps
    __shared__ int s[64];
    int t = threadIdx.x - 64;
    if (t >= 0) {
        s[t] = t;
        sync(3, 64);
        int other = s[63 - t];
        sync(3, 64);
        s[t] = other;
        b[blockIdx.x * 64 + t] = other;
    }
}

K twice_race(int *b) { // one of three warps more than is counted
    __shared__ int s[128];
    int t = threadIdx.x - 32;
    if (t >= 0) {
        s[t] = t;
        sync(3, 64);
        int other = s[95 - t];
        sync(3, 64);
        s[t] = other;
        b[blockIdx.x * 128 + t] = other;
    }
}

#define IN_TURNS(BEFORE, BEHIND)                                             \
    __shared__ int s[64];                                                    \
    int group = threadIdx.x / 64, t = threadIdx.x % 64, sum = 0;             \
    if (group == 1) arrive(1, 128);                                          \
    _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                        \
        sync(1 + group, 128);                                                \
        BEFORE;                                                              \
        arrive(2 - group, 128);                                              \
        BEHIND;                                                              \
    }                                                                        \
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;

K in_turns_clean(const int *a, int *b, int n) { // two groups take turns, as FlashAttention's
    IN_TURNS(sum += s[t]; s[t] = sum, )
}

K in_turns_race(const int *a, int *b, int n) { // the second store is behind the turn
    IN_TURNS(sum += s[t], s[t] = sum)
}

#define RING(FILL, FILLED, TAKE, TAKEN)                                      \
    __shared__ int s[32];                                                    \
    int t = threadIdx.x;                                                     \
    if (t < 32) {                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                    \
            sync(2, 128);                                                    \
            FILL;                                                            \
            arrive(1, 128);                                                  \
            FILLED;                                                          \
        }                                                                    \
    } else {                                                                 \
        int sum = 0;                                                         \
        arrive(2, 128);                                                      \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                    \
            sync(1, 128);                                                    \
            TAKE;                                                            \
            arrive(2, 128);                                                  \
            TAKEN;                                                           \
        }                                                                    \
        b[blockIdx.x * blockDim.x + t] = sum;                                \
    }

K one_stage_clean(const int *a, int *b, int n) { // a warp fills a stage for three others
    RING(s[t] = a[i * 32 + t], , sum += s[31 - t % 32], )
}

K one_stage_race(const int *a, int *b, int n) { // a stage is given back before it is read
    RING(s[t] = a[i * 32 + t], , , sum += s[31 - t % 32])
}

K part_clean(const int *a, int *b) { // whole warps choose whether they come
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t / 32 < 2) {
        s[t] = a[t];
        sync(1, 64);
        if (t % 32 == 0) b[blockIdx.x * 64 + t] = s[63 - t];
    }
}

K part_race(const int *a, int *b) { // each warp comes to a barrier of its own
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t / 32 < 2) {
        s[t] = a[t];
        sync(1 + t / 32, 32);
        if (t % 32 == 0) b[blockIdx.x * 64 + t] = s[63 - t];
    }
}
