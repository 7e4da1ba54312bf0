//@ lens-ptx: clean
// All threads of a block fence and meet, one takes a relaxed ticket for the block and fences, they meet again, and the last block reads.
// Clean: the thread that draws the ticket fences behind the barrier, too, and so releases what its mates have written.
#include <cuda/atomic>
#include "../support/check.h"

constexpr int BLOCKS = 4, THREADS = 64;

__global__ void total(const int *in, int *value, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    value[blockIdx.x * THREADS + t] = in[blockIdx.x * THREADS + t] + 1;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    __syncthreads();
    if (t == 0) {
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> ticket(*tickets);
        last = ticket.fetch_add(1, cuda::memory_order_relaxed) == BLOCKS - 1;
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    }
    __syncthreads();
    if (last) {
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
