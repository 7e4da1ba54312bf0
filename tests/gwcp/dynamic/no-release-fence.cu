//@ lens-ptx: race
//@ class: missing-fence
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// Message passing between blocks without a fence at the sender. The reader always comes
// second, and yet nothing orders its read.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (which_thread() == 1) {
        s->x = 1; //~ RACE(1)
        raise_flag(s->flag);
    } else if (which_thread() == 2) {
        await_flag(s->flag);
        __threadfence();
        int value = s->x; //~ RACE(1)
        s->out = value;
    }
}

int main() { return run(kernel, 2, 32); }
