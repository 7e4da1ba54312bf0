// openvdb/fvdb-core #434: the gradients of all cameras are added to one Gaussian's without an atomic.
//@ class: inter-block
#include "support/bug.h"

template <bool fixed> __global__ void harmonics_backward(const float* gradient, float* coefficients) {
    const float mine = gradient[blockIdx.y * blockDim.x + threadIdx.x];
    if (fixed) atomicAdd(&coefficients[threadIdx.x], mine);
    else coefficients[threadIdx.x] += mine; //~ RACE(1) RACE(1) RACE(2) RACE(2)
}

template <bool fixed> void run() {
    harmonics_backward<fixed><<<dim3(1, 2), 32>>>(zeros<float>(64), zeros<float>(32));
    finish();
}
