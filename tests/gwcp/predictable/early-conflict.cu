//@ lens-ptx: race
//@ any-order: may-hide
//@ class: lock-missing
//@ lens-hb: clean
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: clean
//@ lens-hirace: race
// Predictable 13 of 13, beyond GWCP: the critical sections conflict on y before thread 2
// comes to x, so GWCP orders x too. With thread 2 first, x races. Locksets see it, as x is
// locked on one side only.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        strong(s->y) = 2;
        s->x = 2; //~ RACE(1)
        unlock(s->lock_l);
    }
}

int main() { return run(kernel, 2, 32); }
