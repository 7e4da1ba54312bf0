// ggml-org/llama.cpp #28358: lanes without work store their padding onto the scales that other lanes store.
//@ class: divergent-warp
#include "support/bug.h"

template <bool fixed> __global__ void quantize(const float* x, int* out) {
    __shared__ int quants[32];
    const int lane = threadIdx.x, used = 16;
    if (!fixed || lane < used) quants[lane] = lane < used ? int(x[lane]) : 0; //~ RACE(1)
    if (lane % 8 == 0 && lane < used) quants[used + lane / 8] = __float_as_int(x[lane]); //~ RACE(1)
    __syncwarp();
    out[lane] = quants[lane < used + 2 ? lane : 0];
}

template <bool fixed> void run() {
    quantize<fixed><<<1, 32>>>(zeros<float>(32), zeros<int>(32));
    finish();
}
