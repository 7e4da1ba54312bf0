//@ lens-ptx: race
//@ class: divergent-warp
// A warp computes a running maximum with shuffles and keeps the values in shared memory.
// The bug: the shuffles after the write are taken for a barrier, but they exchange
// registers and order no memory. The clean twin has __syncwarp().
#include "../support/check.h"

__global__ void gap_to_maximum(const int *in, int *out) {
    __shared__ int value[32];
    int lane = threadIdx.x;
    int best = in[blockIdx.x * 32 + lane];
    value[lane] = best; //~ RACE(1)
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, best, d);
        if (lane >= d) best = max(best, left);
    }
    int mirrored = value[31 - lane]; //~ RACE(1)
    out[blockIdx.x * 32 + lane] = best - mirrored;
}

int main() {
    const int n = 64;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    gap_to_maximum<<<n / 32, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i - (i / 32 * 32 + 31 - i % 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
