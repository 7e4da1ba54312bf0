//@ lens-ptx: clean
// A warp asks whether any lane has a large number.
// Clean: the masks of the vote and of the barrier name all lanes.
#include "../support/check.h"

__global__ void any(const int *in, int *out) {
    int lane = threadIdx.x, mine = in[lane];
    int large = __any_sync(0xffffffff, mine > 90);
    __syncwarp(0xffffffff);
    out[lane] = large + mine;
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    any<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (host[i] + 1);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
