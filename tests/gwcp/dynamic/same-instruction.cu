//@ lens-ptx: race
//@ class: same-instruction
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Intra-warp, one instruction: two lanes write one element each time. ScoRD finds it by
// the check that the GWCP paper adds; to iGUARD lanes of one instruction are in lockstep (P4).
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int lane = threadIdx.x;
    s->many[lane / 2] = lane; //~ RACE(1) RACE(1)
}

int main() { return run(kernel, 1, 32); }
