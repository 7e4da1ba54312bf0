// kokkos/kokkos #1520: a vector loop of a team's thread does not synchronise its lanes when it ends.
//@ class: divergent-warp
#include "support/bug.h"

template <bool fixed> __global__ void team(float* out) {
    __shared__ float scratch[4][32];
    const int lane = threadIdx.x, thread = threadIdx.y;
    for (int i = lane; i < 32; i += 32) scratch[thread][i] = i; //~ RACE(1)
    if (fixed) __syncwarp();
    out[thread * 32 + lane] = scratch[thread][31 - lane]; //~ RACE(1)
}

template <bool fixed> void run() {
    team<fixed><<<1, dim3(32, 4)>>>(zeros<float>(128));
    finish();
}
