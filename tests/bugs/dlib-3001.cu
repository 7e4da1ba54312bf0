// davisking/dlib #3001: the gradient of a layer normalisation's weights is summed over samples by several blocks at once.
//@ class: inter-block
#include "support/bug.h"

template <bool fixed> __global__ void normalize_gradient(const float* incoming, float* bias) {
    const int channel = threadIdx.x;
    for (int sample = blockIdx.x; sample < 4; sample += gridDim.x) {
        if (fixed) atomicAdd(bias + channel, incoming[sample * 32 + channel]);
        else bias[channel] += incoming[sample * 32 + channel]; //~ RACE(1) RACE(1) RACE(2) RACE(2)
    }
}

template <bool fixed> void run() {
    normalize_gradient<fixed><<<2, 32>>>(zeros<float>(128), zeros<float>(32));
    finish();
}
