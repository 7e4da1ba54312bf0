//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: clean
// The lanes of a warp exchange numbers, with __syncwarp() between.
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int lane = threadIdx.x;
    strong(s->many[lane]) = lane;
    __syncwarp();
    int other = strong(s->many[31 - lane]);
    if (other < 0) s->out = other;
}

int main() { return run(kernel, 1, 32); }
