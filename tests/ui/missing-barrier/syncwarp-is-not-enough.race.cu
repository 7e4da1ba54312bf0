//@ lens-ptx: race
//@ class: missing-barrier
// The warps of a block exchange numbers through shared memory.
// The bug: __syncwarp() orders one warp. The clean twin has __syncthreads().
#include "../support/check.h"

__global__ void rotate_warps(const int *in, int *out) {
    __shared__ int slot[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    slot[t] = in[i]; //~ RACE(1)
    __syncwarp();
    int next = slot[(t + 32) % 96]; //~ RACE(1)
    out[i] = next;
}

int main() {
    const int n = 192;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    rotate_warps<<<n / 96, 96>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 96 * 96 + (i + 32) % 96;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
