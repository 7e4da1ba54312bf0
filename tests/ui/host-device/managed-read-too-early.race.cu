//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// A kernel computes into managed memory and the host prints a number of it.
// The bug: the host reads without waiting for the kernel. The clean twin waits.
#include "../support/check.h"

constexpr int N = 64;

__global__ void squares(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x * threadIdx.x; //~ RACE(1)
}

int main() {
    int *numbers;
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    squares<<<1, N>>>(numbers);
    int last = numbers[N - 1]; //~ RACE(1)
    std::printf("%d\n", last);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(numbers));
    return last != (N - 1) * (N - 1);
}
