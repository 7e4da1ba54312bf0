//@ lens-ptx: race
//@ class: async-copy
// Each thread fetches a number into shared memory with an asynchronous copy.
// The bug: it reads the number without waiting for its own copy. The clean twin waits.
#include "../support/check.h"
#include <cuda_pipeline.h>

__global__ void double_up(const int *in, int *out) {
    __shared__ int slot[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    __pipeline_memcpy_async(&slot[t], &in[i], sizeof(int)); //~ RACE(1)
    __pipeline_commit();
    int value = slot[t]; //~ RACE(1)
    out[i] = 2 * value;
}

int main() {
    const int n = 128;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    double_up<<<n / 64, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
