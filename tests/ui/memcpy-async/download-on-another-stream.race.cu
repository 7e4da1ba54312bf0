//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A kernel's result is copied to the host asynchronously.
// The bug: on another stream than the kernel's. The clean twin copies on the same one.
#include "../support/check.h"

constexpr int N = 64;

__global__ void squares(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x * threadIdx.x; //~ RACE(1)
}

int main() {
    int *host, *numbers, wrong = 0;
    cudaStream_t work, other;
    CHECK(cudaMallocHost(&host, N * sizeof(int)));
    CHECK(cudaMalloc(&numbers, N * sizeof(int)));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&other));
    squares<<<1, N, 0, work>>>(numbers);
    CHECK(cudaMemcpyAsync(host, numbers, N * sizeof(int), cudaMemcpyDeviceToHost, other)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i) wrong += host[i] != i * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
