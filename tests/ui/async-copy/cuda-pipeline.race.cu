//@ lens-ptx: race
//@ class: async-copy
// Each thread stages a number with cuda::memcpy_async() on its own cuda::pipeline.
// The bug: consumer_wait() comes after the number was used. The clean twin waits first.
#include "../support/check.h"
#include <cuda/pipeline>

__global__ void increment(const int *in, int *out) {
    __shared__ int slot[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&slot[t], &in[i], cuda::aligned_size_t<4>(sizeof(int)), pipe); //~ RACE(1)
    pipe.producer_commit();
    int value = slot[t]; //~ RACE(1)
    pipe.consumer_wait();
    pipe.consumer_release();
    out[i] = value + 1;
}

int main() {
    const int n = 64;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    increment<<<n / 32, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
