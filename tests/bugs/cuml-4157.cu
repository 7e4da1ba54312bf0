// NVIDIA/cuml #4157: a barrier of the grid in which only the master thread of a block fences, before its block has met.
#include "support/bug.h"

template <bool fixed> __device__ void grid_barrier(unsigned* arrived) {
    if (fixed) __threadfence();
    else if (threadIdx.x == 0) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x) {}
    }
    __syncthreads();
    __threadfence();
}

template <bool fixed> __global__ void two_phases(float* values, float* out, unsigned* arrived) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    values[t] = t; //~ RACE(1)
    grid_barrier<fixed>(arrived);
    out[t] = values[(t + blockDim.x + 1) % (gridDim.x * blockDim.x)]; //~ RACE(1)
}

template <bool fixed> void run() {
    two_phases<fixed><<<2, 64>>>(zeros<float>(128), zeros<float>(128), zeros<unsigned>(1));
    finish();
}
