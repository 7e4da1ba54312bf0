//@ lens-ptx: race
//@ class: async-copy
// Each thread fetches two operands in two groups of asynchronous copies.
// The bug: before it uses the second operand it still allows one group to be pending.
// The clean twin allows none.
#include "../support/check.h"
#include <cuda_pipeline.h>

__global__ void multiply(const int *a, const int *b, int *out) {
    __shared__ int left[32], right[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    __pipeline_memcpy_async(&left[t], &a[i], sizeof(int));
    __pipeline_commit();
    __pipeline_memcpy_async(&right[t], &b[i], sizeof(int)); //~ RACE(1)
    __pipeline_commit();
    __pipeline_wait_prior(1);
    int x = left[t] + 1;
    __pipeline_wait_prior(1);
    int y = right[t]; //~ RACE(1)
    out[i] = x * y;
}

int main() {
    const int n = 64;
    int host[n], got[n], *a, *b, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    multiply<<<n / 32, 32>>>(a, b, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i + 1) * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
