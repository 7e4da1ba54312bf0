//@ lens-ptx: race
//@ class: missing-barrier
// A ring of cells relaxes over two shared buffers; one barrier per step is enough,
// because a step never writes the buffer it reads.
// The bug: even that barrier is missing. The clean twin has it at the end of each step.
#include "../support/check.h"

constexpr int CELLS = 128;

__global__ void relax(int *cells, int steps) {
    __shared__ int buffer[2][CELLS];
    int t = threadIdx.x;
    int now = 0;
    buffer[0][t] = cells[blockIdx.x * CELLS + t];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        int neighbour = buffer[now][(t + 32) % CELLS]; //~ RACE(1)
        buffer[1 - now][t] = neighbour + 1; //~ RACE(1)
        now = 1 - now;
    }
    __syncthreads();
    cells[blockIdx.x * CELLS + t] = buffer[now][t];
}

int main() {
    const int blocks = 2, n = blocks * CELLS, steps = 4;
    int host[n], *cells;
    for (int i = 0; i < n; ++i) host[i] = i % CELLS;
    CHECK(cudaMalloc(&cells, sizeof host));
    CHECK(cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice));
    relax<<<blocks, CELLS>>>(cells, steps);
    CHECK(cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != i % CELLS + steps; // once around
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
