//@ lens-ptx: race
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: race
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 6 of 13. As the one before, with two writes, and the second writer in a
// third block that nothing tells about the first.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        strong(s->x) = 1; //~ RACE(1)
        __threadfence();
        raise_flag(s->flag);
        break;
    case 2:
        await_flag_for_a_while(s->flag);
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag_for_a_while(s->second_flag);
        strong(s->x) = 3; //~ RACE(1)
        break;
    }
}

int main() { return run(kernel, 3, 32); }
