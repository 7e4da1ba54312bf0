// torch/cutorch #222: one event is recorded in two streams, and waited for once: only its last record counts.
//@ class: inter-kernel
#include "support/bug.h"

static __global__ void produce(float* x) {
    x[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

static __global__ void consume(const float* x, float* out) {
    out[threadIdx.x] = x[threadIdx.x] + x[64 + threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    float *x = zeros<float>(128), *out = zeros<float>(64);
    cudaStream_t first = own_stream(), second = own_stream(), waiting = own_stream();
    cudaEvent_t event = own_event();
    produce<<<1, 64, 0, first>>>(x);
    CHECK(cudaEventRecord(event, first));
    if (fixed) CHECK(cudaStreamWaitEvent(waiting, event));
    produce<<<1, 64, 0, second>>>(x + 64);
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaStreamWaitEvent(waiting, event));
    consume<<<1, 64, 0, waiting>>>(x, out);
    finish();
}
