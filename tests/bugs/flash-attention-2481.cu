// Dao-AILab/flash-attention #2481: a programmatic dependent kernel reads the gradient before it waits for the kernel that writes it.
//@ class: inter-kernel
#include "support/bug.h"

static __global__ void project(float* dout) {
    asm volatile("griddepcontrol.launch_dependents;");
    dout[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

template <bool fixed> __global__ void preprocess(const float* dout, float* dpsum) {
    if (fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
    dpsum[threadIdx.x] = 2 * dout[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    float *dout = zeros<float>(64), *dpsum = zeros<float>(64);
    cudaStream_t stream = own_stream();
    project<<<1, 64, 0, stream>>>(dout);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, preprocess<fixed>, (const float*)dout, dpsum));
    finish();
}
