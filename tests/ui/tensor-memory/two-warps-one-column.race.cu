//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Two warpgroups store to tensor memory.
// The bug: both store to one column of their lanes. In the clean twin each has a column of its own.
#include "../support/tcgen05.h"

__global__ void store(uint32_t *out) {
    __shared__ uint32_t place;
    if (threadIdx.x < 32) ALLOCATE(&place);
    __syncthreads();
    uint32_t address = own_lanes(place), value;
    // Warps 0 and 4 have the same lanes.
    if (threadIdx.x < THREADS)
        STORE(address, threadIdx.x); //~ RACE(1)
    else
        STORE(address, 7u); //~ RACE(1)
    WAIT_STORE();
    __syncthreads();
    LOAD(value, address);
    WAIT_LOAD();
    if (threadIdx.x < THREADS) out[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(place);
}

int main() { return count_wrong(store, 2 * THREADS, [](int row) { return uint32_t(row); }); }
//@ arch: 100
//@ advice: its clean twin gives each warp a column of its own
