// kokkos/kokkos #3208: an atomic of a large type takes a lock without fences around the data that it guards.
#include "support/bug.h"

template <bool fixed> __global__ void add_complex(double2* sum, int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    if (fixed) __threadfence();
    sum->x += 1.0; //~ RACE(1) RACE(1) RACE(2) RACE(2)
    if (fixed) __threadfence();
    atomicExch(lock, 0);
}

template <bool fixed> void run() {
    add_complex<fixed><<<2, 1>>>(zeros<double2>(1), zeros<int>(1));
    finish();
}
