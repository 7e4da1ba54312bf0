//@ lens-ptx: race
//@ class: missing-fence inter-block
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 3 of 13. The reader has a fence, and so has the messenger between the two threads, but
// the writer has none: what was not released cannot be passed on.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        s->x = 1; //~ RACE(1)
        raise_flag(s->flag);
        break;
    case 2:
        await_flag_for_a_while(s->flag);
        __threadfence();
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag_for_a_while(s->second_flag);
        __threadfence();
        int value = s->x; //~ RACE(1)
        s->out = value;
        break;
    }
}

int main() { return run(kernel, 3, 32); }
