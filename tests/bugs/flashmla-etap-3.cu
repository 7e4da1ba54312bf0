// pengcuo/FlashMLA-ETAP #3: a warp group goes on with a tile that its own other warps still store; a named barrier was missing.
#include "support/bug.h"

template <bool fixed> __global__ void decode(const float* p, float* out) {
    __shared__ float tile[128];
    const int group = threadIdx.x / 128, t = threadIdx.x % 128;
    if (group == 0) {
        tile[t] = p[t]; //~ RACE(1)
        if (fixed) asm volatile("bar.sync 1, 128;" ::: "memory");
        out[t] = tile[127 - t]; //~ RACE(1)
    } else {
        out[128 + t] = 0;
    }
}

template <bool fixed> void run() {
    decode<fixed><<<1, 256>>>(zeros<float>(128), zeros<float>(256));
    finish();
}
