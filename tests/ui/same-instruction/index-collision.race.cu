//@ lens-ptx: race
//@ class: same-instruction
// Each lane writes one result.
// The bug: the index is halved, so pairs of lanes write one element. The clean twin
// gives each lane its own.
#include "../support/check.h"

__global__ void squares(int *out) {
    int lane = threadIdx.x;
    out[blockIdx.x * 32 + lane / 2] = lane * lane; //~ RACE(1) RACE(1)
}

int main() {
    int got[64], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    squares<<<2, 32>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != (i % 32) * (i % 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
