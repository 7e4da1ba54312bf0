//@ lens-ptx: race
//@ class: inter-block
//@ lens-hb: race
//@ lens-scord: race
//@ lens-iguard: race
//@ lens-gwcp: race
//@ lens-hirace: race
// A block barrier stands between a write and a read of two blocks, where it orders nothing.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int t = threadIdx.x, b = blockIdx.x;
    s->many[b * 32 + t] = t; //~ RACE(1)
    __syncthreads();
    int other = s->many[(1 - b) * 32 + t]; //~ RACE(1)
    if (other < 0) s->out = other;
}

int main() { return run(kernel, 2, 32); }
