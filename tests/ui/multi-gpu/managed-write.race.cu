//@ lens-ptx: race
//@ class: multi-gpu
//@ run: --devices 2
// Two devices write the same managed memory.
// The bug: the second device does not wait for the first. In the clean twin the host waits
// for the first device between.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers, int by) {
    numbers[threadIdx.x] = by * threadIdx.x; //~ RACE(1) RACE(1)
}

int main() {
    int *numbers, wrong = 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMallocManaged(&numbers, N * sizeof(int)));
    fill<<<1, N>>>(numbers, 1);
    CHECK(cudaSetDevice(1));
    fill<<<1, N>>>(numbers, 2);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i) wrong += numbers[i] != i && numbers[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
