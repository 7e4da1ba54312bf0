//@ lens-ptx: clean
// All threads add to a histogram, and the last block to finish looks at it. The block's last thread draws the ticket.
// Clean: the thread that draws the ticket has waited for its block's other threads.
#include "../support/check.h"

constexpr int THREADS = 128, BINS = 16;

__global__ void histogram(const unsigned *in, unsigned *bins, unsigned *finished, unsigned *counted) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(&bins[in[i] % BINS], 1u);
    bool last = false;
    __syncthreads();
    if (threadIdx.x == THREADS - 1) {
        __threadfence();
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    if (__syncthreads_or(last) && threadIdx.x < BINS) {
        unsigned bin = bins[threadIdx.x];
        counted[threadIdx.x] = bin;
    }
}

int main() {
    const int blocks = 3, n = blocks * THREADS;
    unsigned host[n], got[BINS], *in, *bins, *finished, *counted;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&bins, sizeof got));
    CHECK(cudaMalloc(&finished, sizeof *finished));
    CHECK(cudaMalloc(&counted, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, sizeof got));
    CHECK(cudaMemset(finished, 0, sizeof *finished));
    histogram<<<blocks, THREADS>>>(in, bins, finished, counted);
    CHECK(cudaMemcpy(got, counted, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned bin : got) wrong += bin != n / BINS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
