//@ lens-ptx: clean
// The lower lanes of a warp prepare what the upper lanes use, in two branches.
// Clean: __syncwarp() between the two branches.
#include "../support/check.h"

__global__ void prepare_and_use(const int *in, int *out) {
    __shared__ int prepared[16];
    int lane = threadIdx.x;
    if (lane < 16) {
        int square = in[lane] * in[lane];
        prepared[lane] = square;
    }
    __syncwarp();
    if (lane >= 16) {
        int square = prepared[lane - 16];
        out[blockIdx.x * 16 + lane - 16] = square + 1;
    }
}

int main() {
    int host[16], got[32], *in, *out, wrong = 0;
    for (int i = 0; i < 16; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    prepare_and_use<<<2, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (i % 16) * (i % 16) + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}

//@ engine-guard: unseen
