//@ lens-ptx: race
//@ class: inter-block
// A small vector type with inline operators, as every project has one.
// The bug is in a helper that is inlined twice: it adds to the total without an
// atomic. The report has to name the helper's line and how it was reached.
#include "../support/check.h"

struct Totals {
    int low, high;
};

__device__ __forceinline__ void accumulate(int *to, int value) {
    *to += value; //~ RACE(1) RACE(1)
}

__device__ __forceinline__ void add_sample(Totals *totals, int sample) {
    accumulate(&totals->low, sample % 16);
    accumulate(&totals->high, sample / 16);
}

__global__ void sample(const int *in, Totals *totals) {
    if (threadIdx.x == 0) add_sample(totals, in[blockIdx.x]);
}

int main() {
    int host[3] = {0x11, 0x22, 0x33}, *in;
    Totals got, *totals;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&totals, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(totals, 0, sizeof got));
    sample<<<3, 32>>>(in, totals);
    CHECK(cudaMemcpy(&got, totals, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got.low, got.high);
    return got.low != 6 || got.high != 6;
}
//@ engine-guard: race
//@ engine-collide: race
