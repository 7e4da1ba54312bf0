// vllm-project/vllm #8558: a block's results are flagged by relaxed stores; the reader's loads need release and acquire.
//@ class: missing-fence
#include "support/bug.h"

template <bool fixed> __global__ void two_stages(float* partial, int* counter, float* out) {
    constexpr auto set = fixed ? cuda::memory_order_release : cuda::memory_order_relaxed;
    constexpr auto get = fixed ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(*counter);
    if (blockIdx.x == 0) {
        partial[threadIdx.x] = threadIdx.x; //~ RACE(1)
        __syncthreads();
        if (threadIdx.x == 0) flag.store(1, set);
    } else {
        if (threadIdx.x == 0)
            while (flag.load(get) != 1) {}
        __syncthreads();
        out[threadIdx.x] = partial[threadIdx.x]; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    two_stages<fixed><<<2, 64>>>(zeros<float>(64), zeros<int>(1), zeros<float>(64));
    finish();
}
