//@ lens-ptx: race
//@ class: inter-kernel
// The second stream is told to wait for an event of the first.
// The bug: it is told so before the event was recorded for the first time; such a wait
// does nothing. The clean twin records first.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x ^ 21; //~ RACE(1)
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t produced;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&produced));
    produce<<<1, N, 0, first>>>(numbers);
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    CHECK(cudaEventRecord(produced, first));
    consume<<<1, N, 0, second>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != ((N - 1 - i) ^ 21);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
