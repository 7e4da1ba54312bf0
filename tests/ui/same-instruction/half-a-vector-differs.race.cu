//@ lens-ptx: race
//@ class: same-instruction
// Pairs of lanes cooperate on one float2.
// The bug: both store the whole vector, and only one half of it is the same. In the clean
// twin each stores its own half.
#include "../support/check.h"

__global__ void polar(float2 *out) {
    int lane = threadIdx.x;
    float mine = lane * 0.5f;
    float first = __shfl_sync(~0u, mine, lane & ~1);
    out[lane / 2] = make_float2(first, mine); //~ RACE(1) RACE(1)
}

int main() {
    float2 got[16], *out;
    int wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    polar<<<1, 32>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; ++i) wrong += got[i].x != i * 1.0f || got[i].y != i + 0.5f;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
