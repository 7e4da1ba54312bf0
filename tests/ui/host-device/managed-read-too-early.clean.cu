//@ lens-ptx: clean
//@ nvcc: -g
// A kernel computes into managed memory and the host prints a number of it.
// Clean: the host waits for the kernel before it reads.
#include "../support/check.h"

constexpr int N = 64;

__global__ void squares(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x * threadIdx.x;
}

int main() {
    int *numbers;
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    squares<<<1, N>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    int last = numbers[N - 1];
    std::printf("%d\n", last);
    CHECK(cudaFree(numbers));
    return last != (N - 1) * (N - 1);
}
