//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// Two warps of one block share a lock whose atomics and fences have block scope.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (threadIdx.x % 32 != 0) return;
    while (atomicCAS_block(&s->lock_l, 0, 1) != 0) {}
    __threadfence_block();
    strong(s->x) = strong(s->x) + 1;
    __threadfence_block();
    atomicExch_block(&s->lock_l, 0);
}

int main() { return run(kernel, 1, 64); }
