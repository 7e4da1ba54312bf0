//@ lens-ptx: race
//@ class: missing-barrier
//@ class(2): divergent-barrier
//@ class(3): divergent-barrier
//@ class(4): divergent-barrier
//@ advice: what is wrong is the barrier in the branch, which the hazards name
// Warps sum up tiles, one after the other.
// The bug: a barrier stands in a branch that every second warp takes, so that from there on
// warps meet at different barriers, and a fast one fills the next tile while a slow one still
// reads the last. In the clean twin all warps take the barrier.
#include "../support/check.h"

__global__ void combine(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 3; ++k) {
        tile[t] = in[t] + k; //~ RACE(1)
        __syncthreads(); //~ HAZARD(3) HAZARD(4)
        if (t < 32) {
            sum += 1;
            __syncthreads(); //~ HAZARD(2) HAZARD(4)
        }
        sum += tile[63 - t]; //~ RACE(1)
        __syncthreads(); //~ HAZARD(2) HAZARD(3)
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
