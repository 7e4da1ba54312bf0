// ComputationalRadiationPhysics/picongpu #2231: blocks add to one global histogram by atomics of block scope.
//@ class: atomic-scope
#include "support/bug.h"

template <bool fixed> __global__ void spectrum(const int* energy, unsigned* bins) {
    const int bin = energy[blockIdx.x * 32 + threadIdx.x] % 8;
    if (fixed) atomicAdd(&bins[bin], 1u);
    else atomicAdd_block(&bins[bin], 1u); //~ RACE(1) RACE(1)
}

template <bool fixed> void run() {
    spectrum<fixed><<<2, 32>>>(zeros<int>(64), zeros<unsigned>(8));
    finish();
}
