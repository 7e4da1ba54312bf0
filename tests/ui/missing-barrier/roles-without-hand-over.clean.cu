//@ lens-ptx: clean
// One warp loads weights, and the others use them.
// Clean: a named barrier hands them over, at which the first warp arrives and the others wait.
#include "../support/check.h"

__global__ void weigh(const int *in, int *out) {
    __shared__ int weights[64];
    int t = threadIdx.x;
    if (t < 32) {
        for (int i = t; i < 64; i += 32) {
            weights[i] = in[i];
        }
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        int weight = weights[t - 32];
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
