//@ lens-ptx: race
//@ any-order: may-hide
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 10 of 13. As the one before, but the sections touch the same variable: both
// only read it, which is no conflict.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        strong(s->x) = 1; //~ RACE(1)
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
        strong(s->x) = 2 + value; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
