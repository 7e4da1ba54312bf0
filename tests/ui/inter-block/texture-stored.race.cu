//@ engine-guard: race
//@ lens-ptx: race
//@ class: inter-block
//@ advice: the twin stores to another array, as such kernels do
//@ proofs: compared
// Numbers are reversed through a texture of linear memory.
// The bug: they are stored to the array that other blocks still fetch from. By its loads and stores alone the kernel is free of
// races. The clean twin stores to another array.
#include "../support/check.h"

constexpr int N = 128;

__global__ void reverse(cudaTextureObject_t numbers, int *reversed) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int number = tex1Dfetch<int>(numbers, N - 1 - at); //~ RACE(1)
    reversed[at] = number; //~ RACE(1)
}

int main() {
    int numbers[N], *from, wrong = 0;
    for (int i = 0; i < N; ++i) numbers[i] = i;
    CHECK(cudaMalloc(&from, sizeof numbers));
    CHECK(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaResourceDesc linear{};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = from;
    linear.res.linear.desc = cudaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = sizeof numbers;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &linear, &how, nullptr));
    int *to = from;
    reverse<<<2, N / 2>>>(texture, to);
    CHECK(cudaMemcpy(numbers, to, sizeof numbers, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += numbers[i] != N - 1 - i;
    std::printf("%d wrong\n", wrong);
    return 0;
}
