//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// A block multiplies a sparse A twice, with metadata in tensor memory.
// The bug: the second product's metadata is stored while the first product may still read its own. The clean twin waits
// for the mbarrier of the commit first.
#include "../support/tcgen05.h"

constexpr int NARROW = COLUMNS / 2, WIDE = 2 * DEPTH, METADATA = NARROW;
constexpr uint32_t SPARSE = 1 << 2 | 1 << 4 | NARROW / 8 << 17 | ROWS / 16 << 24;

// B has blocks of 8 columns by 16 bytes, four of them side by side.
__device__ int place_in_b(int column, int k) { return column / 8 * 256 + k / 8 * 64 + column % 8 * 8 + k % 8; }

#define MULTIPLY_SPARSE(d, a, b, metadata, adds) asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%3], %4, p; }" ::"r"(d), "l"(descriptor(a)), "l"(descriptor(b) + (uint64_t(256 >> 4) << 32)), "r"(metadata), "r"(SPARSE), "r"(adds) : "memory")

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[NARROW * WIDE];
    __shared__ uint32_t place;
    __shared__ uint64_t done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) init_barrier(&done);
    fill_a(a);
    if (threadIdx.x < NARROW)
        for (int k = 0; k < WIDE; ++k) b[place_in_b(threadIdx.x, k)] = half_of(factor_b(threadIdx.x, k));
    ASYNC_FENCE();
    __syncthreads();
    uint32_t address = place, value;
    for (int step = 0; step < 2; ++step) {
        STORE(own_lanes(address) + METADATA, step == 0 ? 0x44444444 : 0xeeeeeeee); //~ RACE(1)
        WAIT_STORE();
        BEFORE_SYNC();
        __syncthreads();
        if (threadIdx.x == 0) {
            AFTER_SYNC();
            MULTIPLY_SPARSE(address, a, b, address + METADATA, step); //~ RACE(1)
            COMMIT(&done);
        }
    }
    await(&done, 1);
    AFTER_SYNC();
    LOAD(value, own_lanes(address));
    WAIT_LOAD();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() {
    return count_wrong(multiply, THREADS, [](int row) {
        int sum = 0;
        for (int k = 0; k < DEPTH; ++k)
            sum += factor_a(row, k) * (factor_b(0, k / 2 * 4 + k % 2) + factor_b(0, k / 2 * 4 + 2 + k % 2));
        return bits_of(float(sum));
    });
}
//@ arch: 100
//@ engine-guard: race
