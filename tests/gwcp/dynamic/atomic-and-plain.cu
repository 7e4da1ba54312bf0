//@ lens-ptx: race
//@ class: weak-vs-atomic
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// One block counts with an atomic, another stores to the counter.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        atomicAdd(&s->x, 1); //~ RACE(1)
    } else if (which_thread() == 2) {
        s->x = 10; //~ RACE(1)
    }
}

int main() { return run(kernel, 2, 32); }
