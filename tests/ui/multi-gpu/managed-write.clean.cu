//@ lens-ptx: clean
//@ run: --devices 2
// Two devices write the same managed memory.
// Clean: the host waits for the first device before it launches on the second.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers, int by) {
    numbers[threadIdx.x] = by * threadIdx.x;
}

int main() {
    int *numbers, wrong = 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    fill<<<1, N>>>(numbers, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    fill<<<1, N>>>(numbers, 2);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i) wrong += numbers[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
