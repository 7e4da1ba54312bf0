//@ lens-ptx: race
//@ any-order: may-hide
//@ class: lock-missing
//@ lens-hb: clean
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 7 of 13. Thread 1 writes x without the lock, then has a critical section;
// thread 2 writes x at the start of its own. In the usual run the lock's hand-over hides
// the race. The sections conflict, on y, only after x: GWCP orders no more than that.
// Locksets see it too, as x is locked on one side only.
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
        s->x = 2; //~ RACE(1)
        strong(s->y) = 2;
        unlock(s->lock_l);
    }
}

int main() { return run(kernel, 2, 32); }
