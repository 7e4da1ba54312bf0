//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// A host function in a stream has the C library copy the result of a kernel: the report names its line.
// The bug: it is put on another stream than the kernel. The clean twin puts it on the
// same stream.
#include "../support/check.h"
#include <cstring>

constexpr int N = 32;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 1; //~ RACE(1)
}

int seen[N];

void look(void *numbers) {
    memcpy(seen, numbers, sizeof seen); //~ RACE(1)
}

int main() {
    int *numbers;
    cudaStream_t work, other;
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&other));
    fill<<<1, N, 0, work>>>(numbers);
    CHECK(cudaLaunchHostFunc(other, look, numbers));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", seen[N - 1]);
    return seen[N - 1] != N;
}
