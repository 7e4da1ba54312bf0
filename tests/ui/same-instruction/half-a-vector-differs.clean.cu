//@ lens-ptx: clean
// Pairs of lanes cooperate on one float2.
// Clean: each lane of a pair stores its own half of the vector.
#include "../support/check.h"

__global__ void polar(float2 *out) {
    int lane = threadIdx.x;
    float mine = lane * 0.5f;
    float *half = lane % 2 ? &out[lane / 2].y : &out[lane / 2].x;
    *half = mine;
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
