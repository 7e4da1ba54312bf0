//@ lens-ptx: clean
//@ nvcc: -g
// A host function in a stream looks at the result of a kernel.
// Clean: the host function is on the kernel's stream, after it.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 1;
}

int seen;

void look(void *numbers) {
    seen = static_cast<int *>(numbers)[N - 1];
}

int main() {
    int *numbers;
    cudaStream_t work, other;
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&other));
    fill<<<1, N, 0, work>>>(numbers);
    CHECK(cudaLaunchHostFunc(work, look, numbers));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", seen);
    return seen != N;
}
