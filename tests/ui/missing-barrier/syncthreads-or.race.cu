//@ lens-ptx: race
//@ class: missing-barrier
// Each thread marks its cell and the block asks whether any cell is marked.
// The bug: __any_sync() asks one warp only and orders no memory, yet the marks of
// another warp are read after it. The clean twin asks with __syncthreads_or().
#include "../support/check.h"

constexpr int THREADS = 128;

__global__ void count_pairs(const int *in, int *pairs) {
    __shared__ int marked[THREADS];
    int t = threadIdx.x;
    int mark = in[blockIdx.x * THREADS + t] % 3 == 0;
    marked[t] = mark; //~ RACE(1)
    int any = __any_sync(~0u, mark);
    int partner = 0;
    if (any)
        partner = marked[t ^ 64]; //~ RACE(1)
    int count = __syncthreads_count(mark && partner);
    if (t == 0) pairs[blockIdx.x] = count;
}

int main() {
    const int blocks = 2, n = blocks * THREADS;
    int host[n], got[blocks], *in, *pairs;
    for (int i = 0; i < n; ++i) host[i] = i % 64;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&pairs, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count_pairs<<<blocks, THREADS>>>(in, pairs);
    CHECK(cudaMemcpy(got, pairs, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[1]);
    return got[0] != 44 || got[1] != 44; // 22 multiples of three in each half
}
//@ engine-guard: race
//@ engine-collide: race
