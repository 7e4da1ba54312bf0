//@ lens-ptx: race
//@ class: lock-wrong
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Two threads write x, each under a lock of its own.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        lock(s->lock_l);
        s->x = 1; //~ RACE(1)
        unlock(s->lock_l);
    } else if (which_thread() == 2) {
        lock(s->lock_m);
        s->x = 2; //~ RACE(1)
        unlock(s->lock_m);
    }
}

int main() { return run(kernel, 2, 32); }
