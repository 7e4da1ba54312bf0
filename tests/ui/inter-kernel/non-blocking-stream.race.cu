//@ lens-ptx: race
//@ class: inter-kernel
// A kernel on the default stream, then one on a stream of its own.
// The bug: the stream was created as non-blocking, so the default stream does not wait
// for it nor it for the default stream. The clean twin creates an ordinary stream.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 5; //~ RACE(1)
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
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    produce<<<1, N>>>(numbers);
    consume<<<1, N, 0, stream>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i + 5;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
