// ROCm/aiter #4786: a flag that another GPU sets is polled at the scope of one device.
//@ run: --devices 2
//@ fixed: inconclusive
#include "support/bug.h"

static __global__ void publish(float* data, int* flag) {
    data[0] = 1.0f; //~ RACE(1)
    __threadfence_system();
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release); //~ RACE(2)
}

template <bool fixed> __global__ void await_peer(float* data, int* flag, float* out) {
    if (fixed) {
        while (cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).load(cuda::memory_order_acquire) == 0) {}
    } else {
        while (cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load(cuda::memory_order_acquire) == 0) {} //~ RACE(2)
    }
    *out = data[0]; //~ RACE(1)
}

template <bool fixed> void run() {
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    float *data = zeros<float>(1), *out = zeros<float>(1);
    int* flag = zeros<int>(1);
    await_peer<fixed><<<1, 1>>>(data, flag, out);
    CHECK(cudaSetDevice(1));
    publish<<<1, 1>>>(data, flag);
    finish();
    CHECK(cudaSetDevice(0));
    finish();
}
