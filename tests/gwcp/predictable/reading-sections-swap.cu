//@ lens-ptx: race
//@ any-order: may-hide
//@ class: atomic-scope
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
// Predictable 10 of 13. As the one before, but the sections touch the same variable: both
// only read it, which is no conflict.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        block_strong(s->x).store(1, cuda::memory_order_relaxed); //~ RACE(1)
        lock(s->lock_l);
        int value = strong(s->y);
        unlock(s->lock_l);
        raise_flag(s->flag);
        s->out = value;
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        int value = strong(s->y);
        unlock(s->lock_l);
        block_strong(s->x).store(2 + value, cuda::memory_order_relaxed); //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
