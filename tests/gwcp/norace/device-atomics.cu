//@ lens-ptx: clean
//@ lens-hb: clean
//@ lens-scord: clean
//@ lens-iguard: clean
//@ lens-gwcp: clean
//@ lens-hirace: clean
// Atomics of device scope from all blocks: atomics that include each other do not race.
#include "../support/micro.h"

__global__ void kernel(Shared *s) { atomicAdd(&s->x, 1); }

int main() { return run(kernel, 3, 64); }
