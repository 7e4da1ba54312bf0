//@ lens-ptx: race
//@ class: atomic-scope
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Atomics of block scope on a counter of two blocks.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    atomicAdd_block(&s->x, 1); //~ RACE(1) RACE(1)
}

int main() { return run(kernel, 2, 32); }
