//@ lens-ptx: race
//@ class: lock-scope
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Two blocks share a lock whose fences have block scope.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 0) return;
    lock_block_fence(s->lock_l);
    s->x += 1; //~ RACE(1) RACE(1)
    unlock_block_fence(s->lock_l);
}

int main() { return run(kernel, 2, 32); }
