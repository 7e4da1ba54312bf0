//@ lens-ptx: race
//@ class: missing-barrier
// Two warps fill different members of one shared record; a third thread sums it up.
// The bug: both write `low`. The clean twin writes `low` and `high`: different bytes
// of one struct are no conflict.
#include "../support/check.h"

struct Range {
    int low;
    int high;
};

__global__ void ranges(const int *in, int *widths) {
    __shared__ Range range;
    int t = threadIdx.x;
    if (t == 0) range = Range{0, 100};
    __syncthreads();
    if (t == 0)
        range.low = in[2 * blockIdx.x]; //~ RACE(1)
    if (t == 32)
        range.low = in[2 * blockIdx.x + 1]; //~ RACE(1)
    __syncthreads();
    if (t == 0) widths[blockIdx.x] = range.high - range.low;
}

int main() {
    int host[4] = {3, 10, 5, 25}, got[2], *in, *widths;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&widths, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    ranges<<<2, 64>>>(in, widths);
    CHECK(cudaMemcpy(got, widths, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[1]);
    return got[0] != 7 || got[1] != 20;
}
//@ engine-guard: race
