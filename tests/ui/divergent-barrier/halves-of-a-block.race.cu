//@ lens-ptx: hazard
//@ class: divergent-barrier
// One warp fills a tile, the other one reads it.
// The hazard: each of them has a __syncthreads() of its own, in a branch that only half of the
// block takes. PTX takes the two for one barrier, CUDA does not allow it. In the clean twin
// all threads meet at one.
#include "../support/check.h"

__global__ void hand_over(const int *in, int *out) {
    __shared__ int tile[32];
    int t = threadIdx.x, mine = in[t];
    if (t < 32) {
        tile[t] = mine;
        __syncthreads(); //~ HAZARD(1)
    } else {
        mine *= 2;
        __syncthreads(); //~ HAZARD(1)
        mine += tile[63 - t];
    }
    out[t] = mine;
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    hand_over<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != ((i < 32 ? host[i] : 2 * host[i] + host[63 - i]));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
