// Luce-Org/lucebox #739: a head loop rewrites its weights at the top while lagging warps still accumulate with the old ones.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void index_scores(const float* weights, float* scores, int heads) {
    __shared__ float staged[32];
    float score = 0;
    for (int head = 0; head < heads; ++head) {
        if (threadIdx.x < 32) staged[threadIdx.x] = weights[head * 32 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        score += staged[threadIdx.x % 32]; //~ RACE(1)
        if (fixed) __syncthreads();
    }
    scores[threadIdx.x] = score;
}

template <bool fixed> void run() {
    index_scores<fixed><<<1, 128>>>(zeros<float>(128), zeros<float>(128), 4);
    finish();
}
