// dealii/dealii #8693: values on a cell's boundary are interpolated before all of the cell has been loaded.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void interpolate_boundary(const double* source, double* out) {
    __shared__ double values[64];
    const int q = threadIdx.x;
    values[q] = source[q]; //~ RACE(1)
    if (fixed) __syncthreads();
    const double constrained = 0.5 * (values[q / 2] + values[63 - q / 2]); //~ RACE(1)
    __syncthreads();
    out[q] = constrained;
}

template <bool fixed> void run() {
    interpolate_boundary<fixed><<<1, 64>>>(zeros<double>(64), zeros<double>(64));
    finish();
}
