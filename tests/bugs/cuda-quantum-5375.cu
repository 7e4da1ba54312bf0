// NVIDIA/cuda-quantum #5375: probabilities that the device delivers asynchronously are tested before they are there.
//@ class: host-device
#include "support/bug.h"

template <bool fixed> __global__ void probabilities(double* p) {
    p[threadIdx.x] = 1.0 / (1 + threadIdx.x); //~ RACE(1)
}

template <bool fixed> void run() {
    double *selected, *mapped = pinned<double>(32);
    CHECK(cudaHostGetDevicePointer(&selected, mapped, 0));
    probabilities<fixed><<<1, 32>>>(selected);
    if (fixed) CHECK(cudaStreamSynchronize(0));
    if (mapped[0] <= 0.0) std::puts("zero probability"); //~ RACE(1)
    finish();
}
