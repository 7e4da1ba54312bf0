//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// The warps load the accumulator of a product, and then the next product overwrites it.
// The bug: nothing waits for the load, though its register is used. The clean twin waits for it.
#include "../support/tcgen05.h"

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) init_barrier(&done);
    fill_a(a);
    fill_b(b);
    ASYNC_FENCE();
    __syncthreads();
    uint32_t address = place, value;
    if (threadIdx.x == 0) {
        MULTIPLY(address, a, b, 0);
        COMMIT(&done);
    }
    await(&done, 0);
    LOAD(value, own_lanes(address)); //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) {
        MULTIPLY(address, a, b, 1); //~ RACE(1)
        COMMIT(&done);
    }
    await(&done, 1);
    WAIT_LOAD();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() { return count_wrong(multiply, THREADS, [](int row) { return bits_of(float(expected(row, 0))); }); }
//@ arch: 100
//@ engine-guard: race
