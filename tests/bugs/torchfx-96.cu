// matteospanio/torchfx #96: a fused scan sets its status word behind the aggregate without a fence between.
//@ class: missing-fence
#include "support/bug.h"

template <bool fixed> __global__ void fused_scan(float* aggregate, int* status, float* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        aggregate[0] = 2.0f; //~ RACE(1)
        if (fixed) __threadfence();
        atomicExch(&status[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (atomicAdd(&status[0], 0) != 1) {}
        if (fixed) __threadfence();
        out[0] = aggregate[0]; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    fused_scan<fixed><<<2, 32>>>(zeros<float>(1), zeros<int>(1), zeros<float>(1));
    finish();
}
