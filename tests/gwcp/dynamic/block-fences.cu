//@ lens-ptx: race
//@ class: fence-scope
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Message passing between blocks with fences of block scope.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        __threadfence_block();
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag(s->flag);
        __threadfence_block();
        int value = s->x; //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
