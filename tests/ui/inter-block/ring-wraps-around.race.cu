//@ lens-ptx: race
//@ class: inter-block
// Each block pushes an event into a ring; atomicInc() hands out the slots.
// The bug: the ring has fewer slots than there are events, so it wraps around and two
// blocks write one slot. In the clean twin it is large enough.
#include "../support/check.h"

constexpr unsigned SLOTS = 4;

__global__ void push(unsigned *next, int *ring) {
    if (threadIdx.x == 0) {
        unsigned slot = atomicInc(next, SLOTS - 1);
        ring[slot] = blockIdx.x + 1; //~ RACE(1) RACE(1)
    }
}

int main() {
    int got[SLOTS], *ring, sum = 0;
    unsigned *next;
    CHECK(cudaMalloc(&next, sizeof(unsigned)));
    CHECK(cudaMalloc(&ring, sizeof got));
    CHECK(cudaMemset(next, 0, sizeof(unsigned)));
    CHECK(cudaMemset(ring, 0, sizeof got));
    push<<<8, 32>>>(next, ring);
    CHECK(cudaMemcpy(got, ring, sizeof got, cudaMemcpyDeviceToHost));
    for (int event : got) sum += event;
    std::printf("%d\n", sum);
    return sum != 36;
}
//@ engine-guard: race
//@ engine-collide: race
