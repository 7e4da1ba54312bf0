// NVIDIA/Fuser #2391: a block hands its partial sums on through a semaphore; only the thread that sets it has fenced.
//@ class: missing-fence inter-block
#include "support/bug.h"

template <bool fixed> __global__ void split_k(float* partial, unsigned* semaphore) {
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        partial[t] = t; //~ RACE(1)
        if (fixed) __threadfence();
        __syncthreads();
        if (t == 0) *(volatile unsigned*)semaphore = 1;
    } else {
        if (t == 0)
            while (*(volatile unsigned*)semaphore == 0) {}
        __syncthreads();
        if (fixed) __threadfence();
        partial[64 + t] = partial[t] + 1; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    split_k<fixed><<<2, 64>>>(zeros<float>(128), zeros<unsigned>(1));
    finish();
}
