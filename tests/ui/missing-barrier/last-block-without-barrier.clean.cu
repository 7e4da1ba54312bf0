//@ lens-ptx: clean
// The last block to finish adds up what all have left.
// Clean: a barrier, then a fence, before the ticket.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void total(int *partial, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    partial[blockIdx.x * THREADS + t] = 1;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        for (int b = 0; b < gridDim.x; ++b) {
            int part = partial[b * THREADS + t];
            atomicAdd(out, part);
        }
    }
}

int main() {
    const int blocks = 3, n = blocks * THREADS;
    int got, *partial, *out;
    unsigned *tickets;
    CHECK(cudaMalloc(&partial, n * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    total<<<blocks, THREADS>>>(partial, tickets, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n);
    return got != n;
}
//@ engine-guard: unseen
