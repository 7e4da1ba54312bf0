//@ lens-ptx: race
//@ class: divergent-warp
// Odd lanes work together in a coalesced group, then even lanes read their results.
// The bug: the group's sync() covers the odd lanes only, the even lanes took no part.
// The clean twin waits for the whole warp after the branch.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void odd_to_even(int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x;
    if (lane % 2 == 1) {
        auto odd = cg::coalesced_threads();
        slot[lane] = lane * 10; //~ RACE(1)
        odd.sync();
    }
    if (lane % 2 == 0) {
        int neighbour = slot[lane + 1]; //~ RACE(1)
        out[blockIdx.x * 16 + lane / 2] = neighbour;
    }
}

int main() {
    int got[32], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    odd_to_even<<<2, 32>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (i % 16 * 2 + 1) * 10;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-collide: race
//@ engine-guard: race
