// ComputationalRadiationPhysics/picongpu #2351: all threads take an offset that the first one may not have stored yet.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void load_particles(const int* count, float* particles, int* cursor) {
    __shared__ int offset;
    if (threadIdx.x == 0) offset = atomicAdd(cursor, count[blockIdx.x]); //~ RACE(1)
    if (fixed) __syncthreads();
    particles[offset + threadIdx.x] = 1.0f; //~ RACE(1)
}

template <bool fixed> void run() {
    load_particles<fixed><<<1, 64>>>(zeros<int>(1), zeros<float>(64), zeros<int>(1));
    finish();
}
