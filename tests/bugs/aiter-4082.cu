// ROCm/aiter #4082: a collective returns before its peer has read the input, which the caller then overwrites.
//@ class: multi-gpu
//@ run: --devices 2
#include "support/bug.h"

static __global__ void gather(const float* peer, float* out) {
    out[threadIdx.x] = peer[threadIdx.x]; //~ RACE(1)
}

static __global__ void next_layer(float* input) {
    input[threadIdx.x] = -1.0f; //~ RACE(1)
}

template <bool fixed> void run() {
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    float* out = zeros<float>(32);
    cudaStream_t reading = own_stream();
    cudaEvent_t read = own_event();
    CHECK(cudaSetDevice(0));
    float* input = zeros<float>(32);
    cudaStream_t computing = own_stream();
    CHECK(cudaSetDevice(1));
    gather<<<1, 32, 0, reading>>>(input, out);
    CHECK(cudaEventRecord(read, reading));
    CHECK(cudaSetDevice(0));
    if (fixed) CHECK(cudaStreamWaitEvent(computing, read));
    next_layer<<<1, 32, 0, computing>>>(input);
    finish();
    CHECK(cudaSetDevice(1));
    finish();
}
