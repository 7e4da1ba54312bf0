//@ lens-ptx: clean
// A barrier of the grid as libraries write it: all threads fence and meet, one of each block arrives, and waits for the others' arrivals.
// Clean: a fence of the waiting thread comes behind all arrivals, and so behind the fences of the threads that they arrived for.
#include "../support/check.h"

constexpr int BLOCKS = 4, THREADS = 64;

__global__ void total(const int *in, int *value, unsigned *arrived, int *out) {
    int t = threadIdx.x;
    value[blockIdx.x * THREADS + t] = in[blockIdx.x * THREADS + t] + 1;
    __threadfence();
    __syncthreads();
    if (t == 0) {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < BLOCKS) {}
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (int b = 1; b <= BLOCKS; ++b)
        sum += value[(blockIdx.x + b) % BLOCKS * THREADS + t];
    if (blockIdx.x == 0) out[t] = sum;
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
