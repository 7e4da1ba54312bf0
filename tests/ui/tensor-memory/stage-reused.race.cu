//@ lens-ptx: race
//@ class: async-copy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// A block multiplies in steps, with one tile of A for all of them.
// The bug: the tile is filled for the next step while a product may still read it. The clean twin waits for the
// mbarrier of the commit first.
#include "../support/tcgen05.h"

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[2][COLUMNS * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) init_barrier(&done);
    fill_b(b[0], 0);
    fill_b(b[1], 1);
    __syncthreads();
    uint32_t address = place, value;
    for (int step = 0; step < 2; ++step) {
        for (int k = 0; k < DEPTH; ++k)
            a[place_in_tile(threadIdx.x, k)] = half_of(factor_a(threadIdx.x, k, step)); //~ RACE(1)
        ASYNC_FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            MULTIPLY(address, a, b[step], step); //~ RACE(1)
            COMMIT(&done);
        }
    }
    await(&done, 1);
    LOAD(value, own_lanes(address));
    WAIT_LOAD();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() { return count_wrong(multiply, THREADS, [](int row) { return bits_of(float(expected(row, 0, 2))); }); }
//@ arch: 100
//@ engine-guard: race
