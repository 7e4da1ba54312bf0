//@ lens-ptx: clean
// Blocks draw tickets; the counter has to be zero again for the next launch.
// Clean: the last ticket has observed all others, so its holder may reset the counter.
#include "../support/check.h"

__global__ void draw(unsigned *tickets, unsigned *drawn) {
    if (threadIdx.x != 0) return;
    unsigned mine = atomicAdd(tickets, 1u);
    if (mine == gridDim.x - 1)
        *tickets = 0;
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
