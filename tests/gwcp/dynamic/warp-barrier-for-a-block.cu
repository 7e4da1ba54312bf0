//@ lens-ptx: race
//@ class: missing-barrier
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// A warp barrier stands where two warps would need a block barrier.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int t = threadIdx.x;
    s->many[t] = t; //~ RACE(1)
    __syncwarp();
    int other = s->many[63 - t]; //~ RACE(1)
    if (other < 0) s->out = other;
}

int main() { return run(kernel, 1, 64); }
