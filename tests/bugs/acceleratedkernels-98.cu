// JuliaGPU/AcceleratedKernels.jl #98: a look-back scan publishes its aggregate by an ordinary store and a relaxed flag.
//@ class: missing-fence
#include "support/bug.h"

template <bool fixed> __global__ void look_back(int* aggregates, int* flags, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[blockIdx.x]);
    if (blockIdx.x == 0) {
        aggregates[0] = 17; //~ RACE(1)
        if (fixed) __threadfence();
        mine.store(1, cuda::memory_order_relaxed);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[blockIdx.x - 1]);
        while (before.load(cuda::memory_order_relaxed) == 0) {}
        if (fixed) __threadfence();
        out[blockIdx.x] = aggregates[blockIdx.x - 1]; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    look_back<fixed><<<2, 1>>>(zeros<int>(2), zeros<int>(2), zeros<int>(2));
    finish();
}
