//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Each warp stores to its lanes of tensor memory and loads what it has stored.
// The bug: the load does not wait for the store. The clean twin does.
#include "../support/tcgen05.h"

__global__ void copy(uint32_t *out) {
    __shared__ uint32_t place;
    if (threadIdx.x < 32) ALLOCATE(&place);
    __syncthreads();
    uint32_t address = own_lanes(place), value = 7 * threadIdx.x;
    STORE(address, value); //~ RACE(1)
    LOAD(value, address); //~ RACE(1)
    WAIT_LOAD();
    WAIT_STORE();
    out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(place);
}

int main() { return count_wrong(copy, THREADS, [](int row) { return uint32_t(7 * row); }); }
//@ arch: 100
//@ engine-guard: race
