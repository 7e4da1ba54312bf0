//@ lens-ptx: race
//@ class: lock-missing
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Every thread writes x after it has given back the lock.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 0) return;
    lock(s->lock_l);
    strong(s->y) = blockIdx.x;
    unlock(s->lock_l);
    s->x = blockIdx.x; //~ RACE(1) RACE(1)
}

int main() { return run(kernel, 2, 32); }
