//@ lens-ptx: hazard
//@ class: same-instruction
// Pairs of lanes cooperate on one float2.
// The hazard: both store the whole vector, the same bytes. In the clean twin each stores its own half.
#include "../support/check.h"

__global__ void polar(float2 *out) {
    int lane = threadIdx.x;
    float mine = lane * 0.5f;
    float other = __shfl_xor_sync(~0u, mine, 1);
    float2 both = lane % 2 ? make_float2(other, mine) : make_float2(mine, other);
    out[lane / 2] = both; //~ HAZARD(1) HAZARD(1)
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
//@ engine-collide: unseen
