//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// Message passing between two warps of one block: there a fence of block scope is enough.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (threadIdx.x == 0) {
        strong(s->x) = 1;
        __threadfence_block();
        raise_flag(s->flag);
    } else if (threadIdx.x == 32) {
        await_flag(s->flag);
        __threadfence_block();
        s->out = strong(s->x);
    }
}

int main() { return run(kernel, 1, 64); }
