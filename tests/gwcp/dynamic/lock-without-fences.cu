//@ lens-ptx: race
//@ class: missing-fence
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Two blocks share a lock of atomics without any fence: mutual exclusion, but no order of
// the memory accesses inside.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 0) return;
    while (atomicCAS(&s->lock_l, 0, 1) != 0) {}
    s->x += 1; //~ RACE(1) RACE(1)
    atomicExch(&s->lock_l, 0);
}

int main() { return run(kernel, 2, 32); }
