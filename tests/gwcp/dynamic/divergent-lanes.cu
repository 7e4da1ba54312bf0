//@ lens-ptx: race
//@ class: divergent-warp
//@ lens-hb: race
//@ lens-scord: clean
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Intra-warp, two instructions: one branch writes what the other reads, which lockstep
// would order and independent thread scheduling does not. ScoRD keeps
// its metadata by warp and cannot see it (its §VI says how it could: `scord:divergence=threads`);
// by Table 2 of iGUARD's paper it is R2, though the GWCP paper measured that iGUARD misses it.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int lane = threadIdx.x;
    if (lane < 16) {
        s->many[lane] = lane; //~ RACE(1)
    } else {
        int value = s->many[lane - 16]; //~ RACE(1)
        if (value < 0) s->out = value;
    }
}

int main() { return run(kernel, 1, 32); }
