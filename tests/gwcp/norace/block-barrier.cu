//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: clean
// Two warps of a block exchange numbers in global memory, with a barrier between the
// writes and the reads: GWCP's rule (iii).
#include "../support/micro.h"

__global__ void kernel(Shared *s) {
    int t = threadIdx.x;
    strong(s->many[t]) = t;
    __syncthreads();
    int other = strong(s->many[t ^ 32]);
    if (other < 0) s->out = other;
}

int main() { return run(kernel, 1, 64); }
