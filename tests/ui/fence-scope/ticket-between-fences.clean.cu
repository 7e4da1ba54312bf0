//@ lens-ptx: clean
// All threads of a block fence and meet, one takes the block's ticket, they meet again, and those of the last block fence and read.
// Clean: the thread that takes the ticket needs no fence. The fences before it and those behind it have a forced order.
#include "../support/check.h"

constexpr int BLOCKS = 4, THREADS = 64;

__global__ void total(const int *in, int *value, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    value[blockIdx.x * THREADS + t] = in[blockIdx.x * THREADS + t] + 1;
    __threadfence();
    __syncthreads();
    if (t == THREADS - 1) last = atomicAdd(tickets, 1u) == BLOCKS - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        int sum = 0;
        for (int b = 0; b < BLOCKS; ++b)
            sum += value[b * THREADS + t];
        out[t] = sum;
    }
}

int main() {
    const int n = BLOCKS * THREADS;
    int host[n], got[THREADS], *in, *value, *out;
    unsigned *tickets;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&value, sizeof host));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    total<<<BLOCKS, THREADS>>>(in, value, tickets, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[THREADS - 1]);
    for (int t = 0; t < THREADS; ++t)
        if (got[t] != BLOCKS * (t + 1) + THREADS * (BLOCKS * (BLOCKS - 1) / 2)) return 1;
    return 0;
}
