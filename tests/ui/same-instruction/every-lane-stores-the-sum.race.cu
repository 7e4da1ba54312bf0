//@ lens-ptx: hazard
//@ class: same-instruction
// A warp adds up its numbers with a butterfly of shuffles; all lanes know the sum.
// The hazard: all lanes store it, the same bytes. The clean twin lets one lane store it.
#include "../support/check.h"

__global__ void warp_sum(const int *in, int *sums) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
        sums[blockIdx.x] = sum; //~ HAZARD(1) HAZARD(1)
}

int main() {
    const int blocks = 4, n = blocks * 32;
    int host[n], got[blocks], *in, *sums, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i / 32;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    warp_sum<<<blocks, 32>>>(in, sums);
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; ++b) wrong += got[b] != 32 * b;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-collide: unseen
