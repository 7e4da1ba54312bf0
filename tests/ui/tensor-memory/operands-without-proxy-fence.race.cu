//@ lens-ptx: race
//@ class: proxy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// A block stores its tiles and multiplies them.
// The bug: the product reads shared memory through the async proxy, and no proxy fence follows the stores of A. The clean
// twin has one.
#include "../support/tcgen05.h"

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) init_barrier(&done);
    fill_b(b);
    ASYNC_FENCE();
    for (int k = 0; k < DEPTH; ++k)
        a[place_in_tile(threadIdx.x, k)] = half_of(factor_a(threadIdx.x, k)); //~ RACE(1)
    __syncthreads();
    uint32_t address = place, value;
    if (threadIdx.x == 0) {
        MULTIPLY(address, a, b, 0); //~ RACE(1)
        COMMIT(&done);
    }
    await(&done, 0);
    LOAD(value, own_lanes(address));
    WAIT_LOAD();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() { return count_wrong(multiply, THREADS, [](int row) { return bits_of(float(expected(row, 0))); }); }
//@ arch: 100
//@ engine-guard: race
