//@ lens-ptx: race
//@ class: missing-fence
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 2 of 13. Only the reader has a fence. What it should be ordered with was
// never released.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        __threadfence();
        int value = s->x; //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
