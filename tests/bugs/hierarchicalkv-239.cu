// NVIDIA-Merlin/HierarchicalKV #239: a key is unlocked before the value that its lock protects has been written.
#include "support/bug.h"

template <bool fixed> __global__ void assign(int* lock, float* vector) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    const float before = vector[0]; //~ RACE(1)
    if (fixed) vector[0] = before + 1;
    __threadfence();
    atomicExch(lock, 0);
    if (!fixed) vector[0] = before + 1; //~ RACE(1) RACE(2) RACE(2)
}

template <bool fixed> void run() {
    assign<fixed><<<2, 1>>>(zeros<int>(1), zeros<float>(1));
    finish();
}
