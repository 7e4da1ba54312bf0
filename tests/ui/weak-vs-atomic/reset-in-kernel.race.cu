//@ lens-ptx: race
//@ advice: its clean twin lets another block reset the counter, which is after all others
//@ class: weak-vs-atomic
// Blocks draw tickets; the counter has to be zero again for the next launch.
// The bug: the first block clears it at its start, while others draw already. In the
// clean twin the block with the last ticket does: its own ticket has observed all.
#include "../support/check.h"

__global__ void draw(unsigned *tickets, unsigned *drawn) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        *tickets = 0; //~ RACE(1)
    unsigned mine = atomicAdd(tickets, 1u); //~ RACE(1)
    drawn[blockIdx.x] = mine;
}

int main() {
    const int blocks = 4;
    unsigned got[blocks], *tickets, *drawn, sum = 0;
    CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
    CHECK(cudaMalloc(&drawn, sizeof got));
    CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
    for (int launch = 0; launch < 2; ++launch) draw<<<blocks, 32>>>(tickets, drawn);
    CHECK(cudaMemcpy(got, drawn, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned v : got) sum += v;
    std::printf("%u\n", sum);
    return sum != 0 + 1 + 2 + 3;
}
//@ engine-guard: race
