//@ lens-ptx: race
//@ any-order: may-hide
//@ class: lock-missing
//@ lens-hb: clean
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 8 of 13. As the one before, but thread 1 only reads x, and the critical
// sections have nothing in common at all.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        int value = s->x; //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = value;
        unlock(s->lock_l);
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        s->x = 2; //~ RACE(1)
        unlock(s->lock_l);
    }
}

int main() { return run(kernel, 2, 32); }
