//@ lens-ptx: clean
//@ proofs: compared
// A kernel runs on the default stream alone, and the host does not wait for it. Then a stream is made, and a
// kernel there reads what the default stream's second kernel writes.
// Clean: the event is recorded behind both kernels.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers, int n) {
    if (threadIdx.x < n) numbers[threadIdx.x] = 2 * threadIdx.x;
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x];
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *scratch, *numbers, *out, wrong = 0;
    cudaStream_t stream;
    cudaEvent_t produced;
    CHECK(cudaMalloc(&scratch, sizeof got));
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    produce<<<1, N>>>(scratch, N);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    produce<<<1, N>>>(numbers, N);
    CHECK(cudaEventRecord(produced));
    CHECK(cudaStreamWaitEvent(stream, produced, 0));
    consume<<<1, N, 0, stream>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
