//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: race
// The block that draws the last ticket reads what the others left; fences on both sides
// of the ticket.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    if (threadIdx.x != 0) return;
    strong(s->many[blockIdx.x]) = blockIdx.x;
    __threadfence();
    int ticket = atomicAdd(&s->flag, 1);
    __threadfence();
    if (ticket == gridDim.x - 1) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += strong(s->many[b]);
        s->out = sum;
    }
}

int main() { return run(kernel, 4, 32); }
