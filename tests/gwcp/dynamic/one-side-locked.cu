//@ lens-ptx: race
//@ class: lock-missing
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// One thread holds the lock when it writes x, the other never takes it. Locksets see that
// in any order. Here there is no fence between, either.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
    } else if (which_thread() == 2) {
        lock(s->lock_l);
        s->x = 2; //~ RACE(1)
        unlock(s->lock_l);
    }
}

int main() { return run(kernel, 2, 32); }
