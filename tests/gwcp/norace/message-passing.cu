//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// Message passing between blocks: a fence of device scope before the flag is raised, one
// after it was seen.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        strong(s->x) = 1;
        __threadfence();
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag(s->flag);
        __threadfence();
        s->out = strong(s->x);
    }
}

int main() { return run(kernel, 2, 32); }
