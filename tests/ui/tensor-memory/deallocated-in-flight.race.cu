//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Tensor memory is deallocated.
// The bug: the warps have not waited for their stores. The clean twin waits for them before the deallocation.
#include "../support/tcgen05.h"

__global__ void store(uint32_t *out) {
    __shared__ uint32_t place;
    if (threadIdx.x < 32) ALLOCATE(&place);
    __syncthreads();
    uint32_t address = place;
    STORE(own_lanes(address), threadIdx.x); //~ RACE(1)
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address); //~ RACE(1)
    WAIT_STORE();
    out[threadIdx.x] = threadIdx.x;
}

int main() { return count_wrong(store, THREADS, [](int row) { return uint32_t(row); }); }
//@ arch: 100
//@ engine-guard: race
