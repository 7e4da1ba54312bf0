//@ lens-ptx: clean
// The last block to finish adds up the partial sums of all blocks.
// Clean: a fence before the ticket, and one between the ticket and the block's barrier.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void total(const int *in, int *partial, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    int even = __syncthreads_count(in[blockIdx.x * THREADS + t] % 2 == 0);
    if (t == 0) {
        partial[blockIdx.x] = even;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && t < gridDim.x) {
        int part = partial[t];
        atomicAdd(out, part);
    }
}

int main() {
    const int blocks = 4, n = blocks * THREADS;
    int host[n], got, *in, *partial, *out;
    unsigned *tickets;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, blocks * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    total<<<blocks, THREADS>>>(in, partial, tickets, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n / 2);
    return got != n / 2;
}
//@ engine-guard: unseen
