// What warps do together and apart, and tensor cores.
#include "kinds.h"
#include <cuda_fp16.h>
#include <mma.h>

__global__ void shuffle(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++) {
        x += __shfl_xor_sync(~0u, x, 1 << (i % 5));
        x ^= __shfl_down_sync(~0u, x, 3);
        x += __shfl_sync(~0u, x, x & 31);
    }
    out[t] = x;
}
KIND(shuffle) { shuffle<<<64, 256>>>(zeros<unsigned>(64 * 256), 100); }

__global__ void shuffle_sum(double *out, const double *in, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int i = 0; i < turns; i++) {
        double x = in[t] + i;
        for (int d = 16; d > 0; d /= 2)
            x += __shfl_down_sync(~0u, x, d);
        sum += x;
    }
    out[t] = sum;
}
KIND(shuffle_sum) { shuffle_sum<<<64, 256>>>(zeros<double>(64 * 256), zeros<double>(64 * 256), 20); }

__global__ void vote(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++) {
        unsigned mask = __ballot_sync(~0u, (x + i) % 3 == 0);
        x += __popc(mask & ((1u << (t & 31)) - 1)) + __any_sync(~0u, x == 5) + __all_sync(~0u, x > 2);
    }
    out[t] = x;
}
KIND(vote) { vote<<<64, 256>>>(zeros<unsigned>(64 * 256), 100); }

__global__ void match_reduce(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++) {
        unsigned same = __match_any_sync(~0u, (x + i) & 7);
        x += __popc(same) + __reduce_add_sync(~0u, x & 15);
    }
    out[t] = x;
}
KIND(match_reduce) { match_reduce<<<64, 256>>>(zeros<unsigned>(64 * 256), 100); }

// One atomic for each warp, its result shared among the lanes that want a place.
__global__ void aggregated_atomics(unsigned *out, unsigned *count, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = t & 31;
    for (int i = 0; i < turns; i++) {
        bool wants = ((t ^ i) * 2654435761u >> 16) % 3 == 0;
        unsigned mask = __ballot_sync(~0u, wants), start = 0;
        if (lane == 0)
            start = atomicAdd(count, __popc(mask));
        start = __shfl_sync(~0u, start, 0);
        if (wants)
            out[start + __popc(mask & ((1u << lane) - 1))] = t;
    }
}
KIND(aggregated_atomics) { aggregated_atomics<<<64, 256>>>(zeros<unsigned>(64 * 256 * 16), zeros<unsigned>(1), 16); }

__global__ void divergence(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++) {
        if (x & 1)
            x = x * 3 + 1 + __popc(x);
        else
            x = (x >> 1) ^ __brev(x) >> 20;
    }
    out[t] = x;
}
KIND(divergence) { divergence<<<64, 256>>>(zeros<unsigned>(64 * 256), 100); }

// Every lane has its own path through a tree of branches, whose leaves cannot be selected without one.
template <int depth> __device__ __noinline__ unsigned descend(unsigned x, unsigned path) {
    if (path & 1)
        return descend<depth - 1>(x * 3 + depth, path >> 1) + 1;
    return descend<depth - 1>(x ^ x >> 3, path >> 1) ^ depth;
}
template <> __device__ __noinline__ unsigned descend<0>(unsigned x, unsigned) { return x + 7; }
__global__ void deep_divergence(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++)
        x = descend<5>(x, t + i);
    out[t] = x;
}
KIND(deep_divergence) { deep_divergence<<<64, 256>>>(zeros<unsigned>(64 * 256), 5); }

// Lanes that leave a loop at different times.
__global__ void uneven_loops(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t * 2654435761u;
    for (int i = 0; i < turns; i++) {
        int n = x >> 26;
        for (int k = 0; k < n; k++)
            x = x * 1664525u + 1013904223u ^ x >> (k & 7);
    }
    out[t] = x;
}
KIND(uneven_loops) { uneven_loops<<<64, 256>>>(zeros<unsigned>(64 * 256), 8); }

__global__ void one_lane(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    if (threadIdx.x % 32 == 0) {
        for (int i = 0; i < turns; i++)
            x = x * 1664525u + 1013904223u ^ x >> 5;
        out[t] = x;
    }
}
KIND(one_lane) { one_lane<<<64, 256>>>(zeros<unsigned>(64 * 256), 2000); }

// One thread works on memory, as in sequential parts of real programs.
__global__ void one_thread(unsigned *a, int n) {
    for (int k = 0; k < 10; k++)
        for (int i = 1; i < n; i++)
            if (a[i] <= a[i - 1])
                a[i] = a[i - 1] + k;
}
KIND(one_thread) { one_thread<<<1, 1>>>(zeros<unsigned>(10000), 10000); }

__global__ void recursion(unsigned *out, int n);
__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(unsigned *out, int n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = fibonacci(n);
}
KIND(recursion) { recursion<<<16, 256>>>(zeros<unsigned>(16 * 256), 11); }

__global__ void wmma_f16(float *c, const __half *a, const __half *b, int turns) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.f);
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < turns; i++) {
        load_matrix_sync(fa, a + i % 16 * 256, 16);
        load_matrix_sync(fb, b + i % 16 * 256, 16);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + warp * 256, fc, 16, mem_row_major);
}
KIND(wmma_f16) { wmma_f16<<<16, 256>>>(zeros<float>(128 * 256), zeros<__half>(16 * 256), zeros<__half>(16 * 256), 32); }

__global__ void mma_f16(float *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = 0x3c003800 + t, b = 0x38003c00;
    float c[4] = {};
    for (int i = 0; i < turns; i++)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%5,%4}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a), "r"(b));
    out[t] = c[0] + c[1] + c[2] + c[3];
}
KIND(mma_f16) { mma_f16<<<16, 256>>>(zeros<float>(16 * 256), 64); }

__global__ void mma_tf32(float *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = __float_as_uint(t * 0.5f), b = __float_as_uint(1.5f);
    float c[4] = {};
    for (int i = 0; i < turns; i++)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%5,%4}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a), "r"(b));
    out[t] = c[0] + c[1] + c[2] + c[3];
}
KIND(mma_tf32) { mma_tf32<<<16, 256>>>(zeros<float>(16 * 256), 64); }

__global__ void mma_s8(int *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = t * 0x01030507, b = 0x01ff02fe;
    int c[4] = {};
    for (int i = 0; i < turns; i++)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%5,%4}, {%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a), "r"(b));
    out[t] = c[0] + c[1] + c[2] + c[3];
}
KIND(mma_s8) { mma_s8<<<16, 256>>>(zeros<int>(16 * 256), 64); }
