//@ lens-ptx: race
//@ class: atomic-scope
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
// Predictable 11 of 13, after the paper's Figure 5. Threads 1 and 2 meet in conflicting
// sections of lock l, which orders them. Threads 2 and 3 meet in those of lock m, but its
// fences reach one block only: no order, conflict or not. So x races.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    switch (which_thread()) {
    case 1:
        block_strong(s->x).store(1, cuda::memory_order_relaxed); //~ RACE(1)
        lock(s->lock_l);
        strong(s->y) = 1;
        unlock(s->lock_l);
        raise_flag(s->flag);
        break;
    case 2:
        await_flag_for_a_while(s->flag);
        lock(s->lock_l);
        strong(s->y) = 2;
        unlock(s->lock_l);
        lock_block_fence(s->lock_m);
        strong(s->z) = 2;
        unlock_block_fence(s->lock_m);
        raise_flag(s->second_flag);
        break;
    case 3:
        await_flag_for_a_while(s->second_flag);
        lock_block_fence(s->lock_m);
        strong(s->z) = 3;
        unlock_block_fence(s->lock_m);
        block_strong(s->x).store(3, cuda::memory_order_relaxed); //~ RACE(1)
        break;
    }
}

int main() { return run(kernel, 3, 32); }
