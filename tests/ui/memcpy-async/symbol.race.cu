//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A parameter in a __device__ variable is updated between two launches.
// The bug: the update is on a stream that nothing orders with the kernel's. The clean
// twin updates on the kernel's stream.
#include "../support/check.h"

__device__ int factor;

__global__ void scale(int *numbers) {
    int f = factor; //~ RACE(1)
    numbers[threadIdx.x] = f * threadIdx.x;
}

int main() {
    int got[32], *numbers, *value, wrong = 0;
    cudaStream_t work, other;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMallocHost(&value, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    *value = 6;
    cudaStream_t stream = other;
    CHECK(cudaMemcpyToSymbolAsync(factor, value, sizeof(int), 0, cudaMemcpyHostToDevice, stream)); //~ RACE(1)
    scale<<<1, 32, 0, work>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != 6 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
