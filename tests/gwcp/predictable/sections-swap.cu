//@ lens-ptx: race
//@ any-order: may-hide
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 9 of 13. Both accesses to x are outside of the critical sections that stand
// between them in the usual run. The sections touch different variables, so they may
// swap, and the race appears. Locksets are empty on both sides.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        strong(s->x) = 1; //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        strong(s->z) = 1;
        unlock(s->lock_l);
        strong(s->x) = 2; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
