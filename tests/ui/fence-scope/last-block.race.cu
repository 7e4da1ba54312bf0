//@ lens-ptx: race
//@ class: fence-scope
// Blocks leave partial sums; the block that finishes last adds them up.
// The bug: the fence before the ticket is __threadfence_block(), which says nothing to
// the last block. The clean twin uses __threadfence().
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void total(const int *in, int *partial, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    int sum = __reduce_add_sync(~0u, in[blockIdx.x * THREADS + t]);
    if (t % 32 == 0)
        partial[blockIdx.x * 2 + t / 32] = sum; //~ RACE(1)
    __syncthreads();
    if (t == 0) {
        __threadfence_block();
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && t < 2 * gridDim.x) {
        int part = partial[t]; //~ RACE(1)
        atomicAdd(out, part);
    }
}

int main() {
    const int blocks = 4, n = blocks * THREADS;
    int host[n], got, *in, *partial, *out;
    unsigned *tickets;
    for (int i = 0; i < n; ++i) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, 2 * blocks * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    total<<<blocks, THREADS>>>(in, partial, tickets, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n);
    return got != n;
}
//@ arch: 80
//@ engine-guard: race
