//@ lens-ptx: clean
//@ nvcc: -default-stream legacy
// A kernel on the default stream, then one on an ordinary stream.
// Clean: the same program as its racy twin, built with the legacy default stream.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = 9 * threadIdx.x;
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x];
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
