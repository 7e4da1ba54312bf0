//@ lens-ptx: race
//@ run: --volatile weak
//@ class: missing-fence inter-block
//@ lens-hb: race
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: race
//@ lens-hirace: race
// Predictable 5 of 13. The accesses are strong, and the writer has a fence after its write.
// That is all ScoRD asks for: it stays silent. No acquire orders the read, so happens-before reports it.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        strong(s->x) = 1; //~ RACE(1)
        __threadfence();
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag_for_a_while(s->flag);
        int value = strong(s->x); //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
