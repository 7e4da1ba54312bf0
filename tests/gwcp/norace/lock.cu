//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// All accesses to x are in critical sections of one lock of device scope.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 0) return;
    lock(s->lock_l);
    strong(s->x) = strong(s->x) + 1;
    unlock(s->lock_l);
}

int main() { return run(kernel, 3, 32); }
