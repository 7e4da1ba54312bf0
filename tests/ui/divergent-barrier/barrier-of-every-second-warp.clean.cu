//@ lens-ptx: clean
// Warps sum up tiles, one after the other.
// Clean: all warps come to the same barriers.
#include "../support/check.h"

__global__ void combine(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 3; ++k) {
        tile[t] = in[t] + k;
        __syncthreads();
        if (t < 32) {
            sum += 1;
        }
        __syncthreads();
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    combine<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != 3 * host[63 - i] + 3 + (i < 32 ? 3 : 0);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
