// Tiles of halves and their matrix descriptors, as the fixtures of warpgroup products use them.
#pragma once

#include "check.h"
#include <cstdint>

constexpr int ROWS = 64, COLUMNS = 8, DEPTH = 16, THREADS = 128;

// Without swizzle: blocks of 8 rows by 16 bytes, two of them side by side.
__host__ __device__ inline int place_in_tile(int row, int k) { return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8; }

// 0, 1 or 2 as a half.
__host__ __device__ inline uint16_t half_of(int small) { return small == 0 ? 0 : small == 1 ? 0x3c00 : 0x4000; }
__host__ __device__ inline int factor_a(int row, int k, int step) { return (row + 2 * k + step) % 3; }
__host__ __device__ inline int factor_b(int column, int k, int step) { return (3 * column + k + step) % 3; }

static __device__ __forceinline__ uint64_t descriptor(const void *tile) {
    return (uint64_t(256 >> 4) << 32) | (uint64_t(128 >> 4) << 16) | (__cvta_generic_to_shared(tile) >> 4);
}

static __device__ __forceinline__ void store_result(float *out, const float (&d)[4]) {
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) out[(row + i / 2 * 8) * COLUMNS + column + i % 2] = d[i];
}

// Two factors of A, as the thread's fragment has them in its register `i`.
static __device__ __forceinline__ uint32_t pair_of_a(int thread, int i, int step) {
    int row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8, k = thread % 4 * 2 + i / 2 * 8;
    return half_of(factor_a(row, k, step)) | uint32_t(half_of(factor_a(row, k + 1, step))) << 16;
}

inline int expected(int row, int column, int steps) {
    int sum = 0;
    for (int step = 0; step < steps; ++step)
        for (int k = 0; k < DEPTH; ++k) sum += factor_a(row, k, step) * factor_b(column, k, step);
    return sum;
}

// How many results of the product of `steps` factors, `times` times, differ from the expected ones.
inline int count_wrong(const float *got, int steps, int times = 1) {
    int wrong = 0;
    for (int row = 0; row < ROWS; ++row)
        for (int column = 0; column < COLUMNS; ++column)
            wrong += got[row * COLUMNS + column] != float(times * expected(row, column, steps));
    return wrong;
}

// The same, if each thread has combined its four results.
inline int count_wrong_sums(const float *got) {
    int wrong = 0;
    for (int thread = 0; thread < THREADS; ++thread) {
        int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2, sum = 0;
        for (int i = 0; i < 4; ++i) sum += (i + 1) * expected(row + i / 2 * 8, column + i % 2, 1);
        wrong += got[thread] != float(sum);
    }
    return wrong;
}
