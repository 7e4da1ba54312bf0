//@ lens-ptx: race
//@ class: divergent-warp
//@ lens-hb: race
//@ lens-gwcp: race
// Intra-warp, two instructions: one branch writes what the other reads, which lockstep
// would order and independent thread scheduling does not. Detectors that keep their
// metadata by warp cannot see it.
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
