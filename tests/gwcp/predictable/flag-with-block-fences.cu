//@ lens-ptx: race
//@ class: fence-scope
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 4 of 13. Fences on both sides, but of block scope and in two blocks.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        __threadfence_block();
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        __threadfence_block();
        s->x = 2; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
