// Tensor memory, products of fifth-generation tensor cores and mbarriers, as the fixtures use them.
#pragma once

#include "check.h"
#include <cstdint>

constexpr int ROWS = 128, COLUMNS = 32, DEPTH = 16, THREADS = 128;

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Macros, so that a report names the line that uses them.
#define ALLOCATE(place) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared_address(place)) : "memory")
#define DEALLOCATE(address) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(address) : "memory")
#define STORE(address, value) asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(address), "r"(value) : "memory")
#define LOAD(value, address) asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(address) : "memory")
#define WAIT_STORE() asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory")
#define WAIT_LOAD() asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory")
#define MULTIPLY(d, a, b, adds) asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d), "l"(descriptor(a)), "l"(descriptor(b)), "r"(FORM), "r"(adds) : "memory")
#define COMMIT(barrier) asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(barrier)) : "memory")
#define BEFORE_SYNC() asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory")
#define AFTER_SYNC() asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory")
#define ASYNC_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// The same of a pair of blocks: 256 rows.
#define ALLOCATE_PAIR(place) asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared_address(place)) : "memory")
#define DEALLOCATE_PAIR(address) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" ::"r"(address) : "memory")
#define MULTIPLY_PAIR(d, a, b) asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d), "l"(descriptor(a)), "l"(descriptor(b)), "r"(FORM_OF_PAIR) : "memory")
#define COMMIT_TO_BOTH(barrier) asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared_address(barrier)), "h"(uint16_t(3)) : "memory")
#define MEET_CLUSTER() asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")

constexpr uint32_t FORM_OF_PAIR = 1 << 4 | COLUMNS / 8 << 17 | 2 * ROWS / 16 << 24;

// 128 rows, 32 columns, halves, sums of 32 bits.
constexpr uint32_t FORM = 1 << 4 | COLUMNS / 8 << 17 | ROWS / 16 << 24;

// Without swizzle: blocks of 8 rows by 16 bytes, two of them side by side.
__host__ __device__ inline int place_in_tile(int row, int k) { return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8; }

static __device__ __forceinline__ uint64_t descriptor(const void *tile) {
    return (uint64_t(1) << 46) | (uint64_t(256 >> 4) << 32) | (uint64_t(128 >> 4) << 16) | (shared_address(tile) >> 4);
}

// 0, 1 or 2 as a half.
__host__ __device__ inline uint16_t half_of(int small) { return small == 0 ? 0 : small == 1 ? 0x3c00 : 0x4000; }
__host__ __device__ inline int factor_a(int row, int k, int step = 0) { return (row + 2 * k + step) % 3; }
__host__ __device__ inline int factor_b(int column, int k, int step = 0) { return (3 * column + k + step) % 3; }

static __device__ __forceinline__ void fill_a(uint16_t *a, int step = 0) {
    for (int k = 0; k < DEPTH; ++k) a[place_in_tile(threadIdx.x % ROWS, k)] = half_of(factor_a(threadIdx.x % ROWS, k, step));
}
static __device__ __forceinline__ void fill_b(uint16_t *b, int step = 0) {
    if (threadIdx.x < COLUMNS)
        for (int k = 0; k < DEPTH; ++k) b[place_in_tile(threadIdx.x, k)] = half_of(factor_b(threadIdx.x, k, step));
}

static __device__ __forceinline__ void init_barrier(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
static __device__ __forceinline__ void await(uint64_t *barrier, int parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
static __device__ __forceinline__ void await_relaxed(uint64_t *barrier, int parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// The lanes of tensor memory that the thread's warp may access.
static __device__ __forceinline__ uint32_t own_lanes(uint32_t address) { return address + (threadIdx.x / 32 % 4 << 21); }

inline int expected(int row, int column, int steps = 1) {
    int sum = 0;
    for (int step = 0; step < steps; ++step)
        for (int k = 0; k < DEPTH; ++k) sum += factor_a(row, k, step) * factor_b(column, k, step);
    return sum;
}

// Runs a kernel that writes a number for each row; returns how many are wrong.
template <class Kernel, class Expected>
int count_wrong(Kernel kernel, int threads, Expected of_row) {
    static uint32_t got[ROWS];
    uint32_t *out;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    kernel<<<1, threads>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < ROWS; ++row) wrong += got[row] != of_row(row);
    std::printf("%d wrong\n", wrong);
    return wrong;
}

// A float's bits.
inline uint32_t bits_of(float value) {
    union { float value; uint32_t bits; } both = {value};
    return both.bits;
}
