//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// One thread holds both locks, the others one each; every two have a lock in common
// where they touch the same variable.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        lock(s->lock_l);
        lock(s->lock_m);
        strong(s->x) = 1;
        strong(s->y) = 1;
        unlock(s->lock_m);
        unlock(s->lock_l);
        break;
    case 2:
        lock(s->lock_l);
        strong(s->x) = 2;
        unlock(s->lock_l);
        break;
    case 3:
        lock(s->lock_m);
        strong(s->y) = 2;
        unlock(s->lock_m);
        break;
    }
}

int main() { return run(kernel, 3, 32); }
