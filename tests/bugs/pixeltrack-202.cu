// cms-patatrack/pixeltrack-standalone #202: streams wait for an event that was never recorded.
//@ class: inter-kernel
#include "support/bug.h"

static __global__ void fill_conditions(float* conditions) {
    conditions[threadIdx.x] = 1 + threadIdx.x; //~ RACE(1)
}

static __global__ void calibrate(const float* conditions, float* hits) {
    hits[threadIdx.x] = conditions[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    float *conditions = zeros<float>(64), *hits = zeros<float>(64);
    cudaStream_t loader = own_stream(), other = own_stream();
    cudaEvent_t loaded = own_event();
    fill_conditions<<<1, 64, 0, loader>>>(conditions);
    if (fixed) CHECK(cudaEventRecord(loaded, loader));
    CHECK(cudaStreamWaitEvent(other, loaded));
    calibrate<<<1, 64, 0, other>>>(conditions, hits);
    finish();
}
