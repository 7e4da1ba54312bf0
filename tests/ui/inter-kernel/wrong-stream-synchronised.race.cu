//@ lens-ptx: race
//@ class: inter-kernel
// The host waits between two kernels on two streams.
// The bug: it waits for the stream of the second kernel. The clean twin waits for that
// of the first.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x - 3; //~ RACE(1)
}

__global__ void increment(int *numbers) {
    numbers[N - 1 - threadIdx.x] += 10; //~ RACE(1)
}

int main() {
    int got[N], *numbers, wrong = 0;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    produce<<<1, N, 0, first>>>(numbers);
    CHECK(cudaStreamSynchronize(second));
    increment<<<1, N, 0, second>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i + 7;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
