//@ lens-ptx: race
//@ any-order: may-hide
//@ class: atomic-scope
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
// Predictable 9 of 13. Both accesses to x are outside of the critical sections that stand
// between them in the usual run. The sections touch different variables, so they may
// swap, and the race appears. Locksets are empty on both sides.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        block_strong(s->x).store(1, cuda::memory_order_relaxed); //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        strong(s->z) = 1;
        unlock(s->lock_l);
        block_strong(s->x).store(2, cuda::memory_order_relaxed); //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
