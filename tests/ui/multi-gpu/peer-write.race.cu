//@ lens-ptx: race
//@ class: multi-gpu
//@ run: --devices 2
// Two devices work on memory of the first, one after the other.
// The bug: the second device does not wait for the first. In the clean twin the host
// waits for the first device between.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

__global__ void mirror(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&numbers, sizeof got));
    fill<<<1, N>>>(numbers);
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaMalloc(&out, sizeof got));
    mirror<<<1, N>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i;
    std::printf("%d wrong\n", wrong);
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    return wrong != 0;
}
//@ engine-guard: race
