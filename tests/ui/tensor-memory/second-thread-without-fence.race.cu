//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Two threads issue products on one accumulator, which form a pipeline.
// The bug: the first thread does not fence its product before the barrier. The clean twin does.
#include "../support/tcgen05.h"

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t first, done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) {
        init_barrier(&first);
        init_barrier(&done);
    }
    fill_a(a);
    fill_b(b);
    ASYNC_FENCE();
    __syncthreads();
    uint32_t address = place, value;
    if (threadIdx.x == 0) {
        MULTIPLY(address, a, b, 0); //~ RACE(1)
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        MULTIPLY(address, a, b, 1); //~ RACE(1)
        COMMIT(&done);
    }
    if (threadIdx.x == 0) COMMIT(&first);
    await(&first, 0);
    await(&done, 0);
    LOAD(value, own_lanes(address));
    WAIT_LOAD();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() { return count_wrong(multiply, THREADS, [](int row) { return bits_of(float(2 * expected(row, 0))); }); }
//@ arch: 100
//@ engine-guard: race
