//@ lens-ptx: race
//@ class: inter-block
// A cooperative kernel of two phases; the second reads what other blocks wrote in the
// first.
// The bug: block.sync() between the phases. The clean twin has grid.sync().
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void two_phases(int *values, int *out) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    int i = grid.thread_rank(), n = grid.size();
    values[i] = i * 3; //~ RACE(1)
    block.sync();
    int other = values[(i + block.size()) % n]; //~ RACE(1)
    out[i] = other;
}

int main() {
    const int blocks = 4, threads = 64, n = blocks * threads;
    int got[n], *values, *out, wrong = 0;
    CHECK(cudaMalloc(&values, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    void *args[] = {&values, &out};
    CHECK(cudaLaunchCooperativeKernel(two_phases, dim3(blocks), dim3(threads), args));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i + threads) % n * 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
