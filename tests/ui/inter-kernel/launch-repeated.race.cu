//@ lens-ptx: race
//@ class: inter-kernel
//@ proofs: compared
// A kernel is launched again and again, and a kernel in another stream waits for an event of these launches.
// The bug: the event is recorded before the last launches, which repeat the first ones. The clean twin
// records it behind them.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers, int n) {
    if (threadIdx.x < n) numbers[threadIdx.x] = 2 * threadIdx.x; //~ RACE(1)
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
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    for (int i = 0; i < 6; ++i) produce<<<1, N, 0, first>>>(numbers, N);
    CHECK(cudaEventRecord(produced, first));
    for (int i = 0; i < 6; ++i) produce<<<1, N, 0, first>>>(numbers, N);
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    consume<<<1, N, 0, second>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
