//@ lens-ptx: clean
// One warp works for itself, and two others turn what they have in shared memory.
// Clean: these two meet at a named barrier between the store and the load.
#include "../support/check.h"

__global__ void weigh(const int *in, int *out) {
    __shared__ int turned[64];
    int t = threadIdx.x;
    if (t < 64) {
        int value = in[t];
        turned[63 - t] = value;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        int weight = turned[t];
        out[63 - t] = 2 * weight;
    } else {
        out[t] = in[t - 64] + 1;
    }
}

int main() {
    int host[64], got[96], *in, *out;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    weigh<<<1, 96>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 96; ++i) wrong += got[i] != (i < 64 ? 2 * i : i - 63);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
