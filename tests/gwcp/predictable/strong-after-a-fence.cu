//@ lens-ptx: race
//@ class: atomic-scope
//@ lens-hb: race
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
// Predictable 5 of 13. The accesses are strong, but of block scope, and the writer has a
// fence of device scope after its write. That is all ScoRD asks for: it stays silent. No
// acquire orders the read, so happens-before reports it.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        block_strong(s->x).store(1, cuda::memory_order_relaxed); //~ RACE(1)
        __threadfence();
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        int value = block_strong(s->x).load(cuda::memory_order_relaxed); //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
