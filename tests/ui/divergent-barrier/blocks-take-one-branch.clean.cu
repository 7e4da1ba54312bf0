//@ lens-ptx: clean
// Blocks do one of two things, each with a barrier in it.
// Clean: all threads of a block take the same branch.
#include "../support/check.h"

__global__ void either(const int *in, int *out) {
    __shared__ int tile[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    if (blockIdx.x == 0) {
        tile[t] = in[i];
        __syncthreads();
        out[i] = tile[31 - t];
    } else {
        tile[31 - t] = 2 * in[i];
        __syncthreads();
        out[i] = tile[t];
    }
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    either<<<2, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != (i < 32 ? host[31 - i] : 2 * host[95 - i]);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
