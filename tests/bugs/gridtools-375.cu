// GridTools/gridtools #375: stages that are labelled as independent are not, and lack the barrier between them.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void stages(const double* in, double* out) {
    __shared__ double field[8][10];
    const int i = threadIdx.x, j = threadIdx.y;
    field[j][i + 1] = in[j * 8 + i]; //~ RACE(1)
    if (fixed) __syncthreads();
    const double flux = field[(j + 4) % 8][i + 1]; //~ RACE(1)
    out[j * 8 + i] = flux;
}

template <bool fixed> void run() {
    stages<fixed><<<1, dim3(8, 8)>>>(zeros<double>(64), zeros<double>(64));
    finish();
}
