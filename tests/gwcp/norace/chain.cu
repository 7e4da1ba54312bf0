//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// A message goes from thread 1 over thread 2 to thread 3, with a fence on each side of
// both flags: order is transitive.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        strong(s->x) = 1;
        __threadfence();
        raise_flag(s->flag);
        break;
    case 2:
        await_flag(s->flag);
        __threadfence();
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag(s->second_flag);
        __threadfence();
        s->out = strong(s->x);
        break;
    }
}

int main() { return run(kernel, 3, 32); }
