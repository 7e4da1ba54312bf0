//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// The C library copies the result of a kernel: one finding for the statement, whatever the library's instructions are.
// The bug: it copies before the kernel has ended. The clean twin waits.
#include "../support/check.h"
#include <cstring>

constexpr int N = 256;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 1; //~ RACE(1)
}

int main() {
    int *numbers;
    static int copy[N];
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    fill<<<1, N>>>(numbers);
    memcpy(copy, numbers, sizeof copy); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", copy[N - 1]);
    return copy[N - 1] != N;
}
