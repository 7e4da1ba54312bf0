//@ lens-ptx: clean
// The last block to finish adds up the partial sums of all blocks.
// Clean: __threadfence() on both sides of the ticket.
#include "../support/check.h"

constexpr int THREADS = 32;

__global__ void total(const int *in, int *partial, unsigned *tickets, int *out) {
    int lane = threadIdx.x;
    int sum = __reduce_add_sync(~0u, in[blockIdx.x * THREADS + lane]);
    unsigned ticket = 0;
    if (lane == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        ticket = atomicInc(tickets, gridDim.x - 1);
        __threadfence();
        if (ticket == gridDim.x - 1) {
            int all = 0;
            for (int b = 0; b < gridDim.x; ++b)
                all += partial[b];
            *out = all;
        }
    }
}

int main() {
    const int blocks = 6, n = blocks * THREADS;
    int host[n], got, *in, *partial, *out;
    unsigned *tickets;
    for (int i = 0; i < n; ++i) host[i] = i % 2;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, blocks * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    total<<<blocks, THREADS>>>(in, partial, tickets, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n / 2);
    return got != n / 2;
}
//@ arch: 80
//@ engine-guard: unseen
