// Kernels in pairs, as in tensors.cu: tensor copies out of shared memory, whose stages are used again. `stores.ptx` is made from
// this file: see README.md.

#define K extern "C" __global__ void __launch_bounds__(THREADS)
#define THREADS 128

struct alignas(64) Map {
    char bytes[128];
};

__device__ __forceinline__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void store(const Map &map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(at(from)) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
template <int N> __device__ __forceinline__ void complete() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }

#define TILE(FENCE, ROW, COMPLETE)                          \
    __shared__ alignas(128) float s[THREADS];               \
    int t = threadIdx.x;                                    \
    _Pragma("unroll 1") for (int i = 0; i < n; ++i) {       \
        s[t] = i;                                           \
        FENCE;                                              \
        __syncthreads();                                    \
        if (t == 0) {                                       \
            store(to, i * 128, ROW, s);                     \
            commit();                                       \
            COMPLETE;                                       \
        }                                                   \
        __syncthreads();                                    \
    }

K tile_clean(const __grid_constant__ Map to, int n) { // the thread waits until its copy has read the tile
    TILE(fence(), blockIdx.x, complete<0>())
}
K tile_race(const __grid_constant__ Map to, int n) { // its last copy may still read the tile
    TILE(fence(), blockIdx.x, complete<1>())
}
K fenced_clean(const __grid_constant__ Map to, int n) { // the same, with a fence of all spaces
    TILE(asm volatile("fence.proxy.async;" ::: "memory"), blockIdx.x, complete<0>())
}
K fenced_race(const __grid_constant__ Map to, int n) { // no proxy fence behind the stores of the tile
    TILE(, blockIdx.x, complete<0>())
}
K rows_clean(const __grid_constant__ Map to, int n) { // each block copies to rows of its own
    TILE(fence(), blockIdx.x * 2 + 1, complete<0>())
}
K rows_race(const __grid_constant__ Map to, int n) { // two blocks copy to one row
    TILE(fence(), blockIdx.x / 2, complete<0>())
}

#define STAGES(S, LEFT)                                     \
    __shared__ alignas(128) float s[S][THREADS];            \
    int t = threadIdx.x;                                    \
    _Pragma("unroll 1") for (int i = 0; i < n; ++i) {       \
        if (t == 0) complete<LEFT>();                       \
        __syncthreads();                                    \
        s[(unsigned)i % S][t] = i;                          \
        fence();                                            \
        __syncthreads();                                    \
        if (t == 0) {                                       \
            store(to, i, blockIdx.x, s[(unsigned)i % S]);   \
            commit();                                       \
        }                                                   \
    }

K stages_clean(const __grid_constant__ Map to, int n) { // all copies but the last one have read their stages
    STAGES(2, 1)
}
K stages_race(const __grid_constant__ Map to, int n) { // the copy of the stage may go on
    STAGES(2, 2)
}
