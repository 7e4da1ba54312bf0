//@ lens-ptx: race
//@ class: same-instruction
//@ lens-hb: race
//@ lens-scord: race
//@ lens-gwcp: race
// Intra-warp, one instruction: two lanes write one element each time. ScoRD finds it by
// the check of the store's own addresses.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int lane = threadIdx.x;
    s->many[lane / 2] = lane; //~ RACE(1) RACE(1)
}

int main() { return run(kernel, 1, 32); }
