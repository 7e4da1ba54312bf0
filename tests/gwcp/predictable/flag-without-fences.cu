//@ lens-ptx: race
//@ class: missing-fence inter-block
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 1 of 13. A bare flag keeps the usual run in order: thread 1 writes, thread 2
// writes later. A flag without fences orders nothing, so happens-before sees it in that
// run already.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        s->x = 2; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
