//@ lens-ptx: clean
// One stream makes numbers, another uses them.
// Clean: the second stream waits for an event that the first records.
#include "../support/check.h"

constexpr int N = 128;

__global__ void produce(int *numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = i * i;
}

__global__ void consume(const int *numbers, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = numbers[i];
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
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    consume<<<2, N / 2, 0, second>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i * i + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ nvcc: -g
