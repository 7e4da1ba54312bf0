//@ lens-ptx: race
//@ class: missing-barrier
// One warp loads weights, and the others use them.
// The bug: nothing hands them over. A barrier of the block on either way would wait for the warps on the other one.
// The clean twin hands over by a named barrier, at which the first warp arrives and the others wait.
#include "../support/check.h"

__global__ void weigh(const int *in, int *out) {
    __shared__ int weights[64];
    int t = threadIdx.x;
    if (t < 32) {
        for (int i = t; i < 64; i += 32) {
            weights[i] = in[i]; //~ RACE(1)
        }
    } else {
        int weight = weights[t - 32]; //~ RACE(1)
        out[t - 32] = 2 * weight;
    }
}

int main() {
    int host[64], got[64], *in, *out;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    weigh<<<1, 96>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
