//@ lens-ptx: clean
// The lower lanes read what the whole warp wrote.
// Clean: the whole warp waits before the branch.
#include "../support/check.h"

__global__ void fold(const int *in, int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x;
    slot[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    if (lane < 16) {
        int upper = slot[lane + 16];
        out[blockIdx.x * 16 + lane] = upper;
    }
}

int main() {
    int host[64], got[32], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    fold<<<2, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != i / 16 * 32 + i % 16 + 16;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: unseen
