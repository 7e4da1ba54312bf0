//@ lens-ptx: race
//@ class: missing-barrier
// A block-wide prefix sum: warps scan with shuffles, then add the totals of the warps
// before them.
// The bug: no barrier between writing and reading the totals. The clean twin has it.
#include "../support/check.h"

constexpr int THREADS = 128;

__global__ void scan(const int *in, int *out) {
    __shared__ int totals[THREADS / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int sum = in[blockIdx.x * THREADS + t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += left;
    }
    if (lane == 31)
        totals[warp] = sum; //~ RACE(1)
    for (int w = 0; w < warp; ++w)
        sum += totals[w]; //~ RACE(1)
    out[blockIdx.x * THREADS + t] = sum;
}

int main() {
    const int blocks = 2, n = blocks * THREADS;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i % 5;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    scan<<<blocks, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < n; ++i) {
        if (i % THREADS == 0) sum = 0;
        wrong += got[i] != (sum += host[i]);
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
