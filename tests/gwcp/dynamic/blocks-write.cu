//@ lens-ptx: race
//@ class: inter-block
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Two blocks write one variable and nothing else happens.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (threadIdx.x == 0)
        s->x = blockIdx.x; //~ RACE(1) RACE(1)
}

int main() { return run(kernel, 2, 32); }
