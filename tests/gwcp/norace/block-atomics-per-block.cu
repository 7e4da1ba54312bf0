//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: clean
// Atomics of block scope on a counter that belongs to one block.
#include "../support/micro.h"

__global__ void kernel(Shared *s) { atomicAdd_block(&s->many[blockIdx.x], 1); }

int main() { return run(kernel, 3, 64); }
