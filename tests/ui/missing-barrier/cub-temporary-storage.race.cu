//@ lens-ptx: race
//@ class: missing-barrier
// A block-wide sum and a prefix sum with CUB, which share one temporary storage.
// The bug: CUB demands a barrier before its temporary storage is used again. The race is
// inside the library, between the two calls. The clean twin has the barrier.
#include "../support/check.h"
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

constexpr int THREADS = 128;
using Reduce = cub::BlockReduce<int, THREADS>;
using Scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;

union Storage {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
};

__global__ void sum_and_scan(const int *in, int *sums, int *prefix) {
    __shared__ Storage storage;
    int i = blockIdx.x * THREADS + threadIdx.x, before;
    int sum = Reduce(storage.reduce).Sum(in[i]); //~ RACE(1)
    Scan(storage.scan).ExclusiveSum(in[i], before); //~ RACE(1)
    prefix[i] = before;
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
    const int blocks = 2, n = blocks * THREADS;
    int host[n], got[n], got_sums[blocks], *in, *sums, *prefix, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = 3;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof got_sums));
    CHECK(cudaMalloc(&prefix, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum_and_scan<<<blocks, THREADS>>>(in, sums, prefix);
    CHECK(cudaMemcpy(got_sums, sums, sizeof got_sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got, prefix, sizeof got, cudaMemcpyDeviceToHost));
    for (int s : got_sums) wrong += s != 3 * THREADS;
    for (int i = 0; i < n; ++i) wrong += got[i] != 3 * (i % THREADS);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
