//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -default-stream per-thread
// A kernel on the default stream, then one on an ordinary stream.
// The bug is in the build: with per-thread default streams the default stream is a
// stream like any other and waits for none. The clean twin is built with the legacy one.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = 9 * threadIdx.x; //~ RACE(1)
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t stream;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    produce<<<1, N>>>(numbers);
    consume<<<1, N, 0, stream>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 9 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ advice: its clean twin is the same program, built with another default stream
//@ engine-guard: race
