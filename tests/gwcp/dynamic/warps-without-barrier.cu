//@ lens-ptx: race
//@ class: missing-barrier
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Inter-warp: two warps of one block exchange numbers without a barrier.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int t = threadIdx.x;
    s->many[t] = t; //~ RACE(1)
    int other = s->many[t ^ 32]; //~ RACE(1)
    if (other < 0) s->out = other;
}

int main() { return run(kernel, 1, 64); }
