//@ lens-ptx: race
//@ class: atomic-scope
//@ lens-hb: race
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
// Predictable 6 of 13. As the one before, with two writes, and the second writer in a
// third block that nothing tells about the first.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        block_strong(s->x).store(1, cuda::memory_order_relaxed); //~ RACE(1)
        __threadfence();
        raise_flag(s->flag);
        break;
    case 2:
        await_flag_for_a_while(s->flag);
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag_for_a_while(s->second_flag);
        block_strong(s->x).store(3, cuda::memory_order_relaxed); //~ RACE(1)
        break;
    }
}

int main() { return run(kernel, 3, 32); }
