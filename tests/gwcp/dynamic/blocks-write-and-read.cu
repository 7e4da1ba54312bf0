//@ lens-ptx: race
//@ class: inter-block
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// One block writes what another reads, without synchronisation.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
    } else if (which_thread() == 2) {
        int value = s->x; //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
