//@ lens-ptx: race
//@ class: inter-kernel
// One stream makes numbers, another reads them through the read-only cache (`const __restrict__`).
// The bug: nothing orders the streams. In the clean twin the second stream waits for an
// event that the first records.
#include "../support/check.h"

constexpr int N = 128;

__global__ void produce(int *numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = i * i; //~ RACE(1)
}

__global__ void consume(const int *__restrict__ numbers, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = numbers[i]; //~ RACE(1)
    out[i] = number + 1;
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
    produce<<<2, N / 2, 0, first>>>(numbers);
    CHECK(cudaEventRecord(produced, first));
    consume<<<2, N / 2, 0, second>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i * i + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
