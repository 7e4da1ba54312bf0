//@ lens-ptx: race
//@ any-order: may-hide
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 11 of 13. Two locks go from thread 1 to thread 2, one after the other, and in neither's
// sections the threads touch the same variable: no hand-over is necessary.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        strong(s->x) = 1; //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        lock(s->lock_m);
        strong(s->many[0]) = 1;
        unlock(s->lock_m);
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_m);
        strong(s->many[64]) = 2;
        unlock(s->lock_m);
        lock(s->lock_l);
        strong(s->z) = 2;
        unlock(s->lock_l);
        strong(s->x) = 2; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
