//@ lens-ptx: race
//@ class: divergent-warp
// Warps rotate their numbers through scratch space in global memory.
// The bug: global memory needs __syncwarp() between lanes as shared memory does. The
// clean twin has it.
#include "../support/check.h"

__global__ void rotate(const int *in, int *scratch, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = t % 32, first = t - lane;
    scratch[t] = in[t]; //~ RACE(1)
    int next = scratch[first + (lane + 1) % 32]; //~ RACE(1)
    out[t] = next;
}

int main() {
    const int n = 256;
    int host[n], got[n], *in, *scratch, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&scratch, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    rotate<<<n / 64, 64>>>(in, scratch, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 32 * 32 + (i + 1) % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
