//@ lens-ptx: clean
// Each block pushes an event into a ring; atomicInc() hands out the slots.
// Clean: there is a slot for every event, so none is handed out twice.
#include "../support/check.h"

constexpr unsigned SLOTS = 8;

__global__ void push(unsigned *next, int *ring) {
    if (threadIdx.x == 0) {
        unsigned slot = atomicInc(next, SLOTS - 1);
        ring[slot] = blockIdx.x + 1;
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
