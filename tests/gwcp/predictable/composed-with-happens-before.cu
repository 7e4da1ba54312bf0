//@ lens-ptx: race
//@ any-order: may-hide
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// Predictable 12 of 13, beyond GWCP: the conflict on y orders threads 1 and 2, and since
// GWCP composes with happens-before, the hand-over of lock m from 2 to 3 carries that on.
// But the sections of m do not conflict: thread 3 may come first, and then x races.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        strong(s->x) = 1; //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        raise_flag(s->flag);
        break;
    case 2:
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        strong(s->y) = 2;
        unlock(s->lock_l);
        lock(s->lock_m);
        strong(s->z) = 2;
        unlock(s->lock_m);
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag_for_a_while(s->second_flag);
        lock(s->lock_m);
        strong(s->many[0]) = 3;
        unlock(s->lock_m);
        strong(s->x) = 3; //~ RACE(1)
        break;
    }
}

int main() { return run(kernel, 3, 32); }
