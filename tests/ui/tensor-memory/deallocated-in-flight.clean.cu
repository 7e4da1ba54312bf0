//@ lens-ptx: clean
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Tensor memory is deallocated when the warps have waited for their stores.
#include "../support/tcgen05.h"

__global__ void store(uint32_t *out) {
    __shared__ uint32_t place;
    if (threadIdx.x < 32) ALLOCATE(&place);
    __syncthreads();
    uint32_t address = place;
    STORE(own_lanes(address), threadIdx.x);
    WAIT_STORE();
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
    out[threadIdx.x] = threadIdx.x;
}

int main() { return count_wrong(store, THREADS, [](int row) { return uint32_t(row); }); }
//@ arch: 100
