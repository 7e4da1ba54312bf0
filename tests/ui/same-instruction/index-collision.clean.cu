//@ lens-ptx: clean
// Each lane writes one result.
// Clean: each lane writes an element of its own.
#include "../support/check.h"

__global__ void squares(int *out) {
    int lane = threadIdx.x;
    out[blockIdx.x * 32 + lane] = lane * lane;
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
