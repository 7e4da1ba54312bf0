//@ lens-ptx: race
//@ class: missing-barrier
// Two warps exchange numbers and meet at a cuda::barrier.
// The bug: arrive() only announces a thread; the read comes before the wait. The clean
// twin waits first.
#include "../support/check.h"
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void swap_warps(const int *in, int *out) {
    __shared__ int slot[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier filled;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t == 0) init(&filled, 64);
    __syncthreads();
    slot[t] = in[i]; //~ RACE(1)
    auto token = filled.arrive();
    int other = slot[t ^ 32]; //~ RACE(1)
    filled.wait(std::move(token));
    out[i] = other;
}

int main() {
    const int n = 128;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    swap_warps<<<n / 64, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i ^ 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
