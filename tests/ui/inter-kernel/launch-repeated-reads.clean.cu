//@ lens-ptx: clean
//@ proofs: compared
// A kernel that reads is launched twice, and kernels of another stream read the same memory between. Then that
// stream replaces what they have read.
// Clean: the event that the stream waits for is recorded behind the kernels.
#include "../support/check.h"

constexpr int N = 64;

__global__ void mirror(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x];
    out[threadIdx.x] = number;
}

__global__ void copy(const int *numbers, int *out) {
    out[threadIdx.x] = numbers[threadIdx.x];
}

__global__ void replace(int *numbers) {
    numbers[threadIdx.x] = 7;
}

int main() {
    int got[N], *numbers, *mirrored, *copied[2], wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t done;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&mirrored, sizeof got));
    CHECK(cudaMalloc(&copied[0], sizeof got));
    CHECK(cudaMalloc(&copied[1], sizeof got));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaMemset(numbers, 0, sizeof got));
    CHECK(cudaDeviceSynchronize());
    mirror<<<1, N, 0, first>>>(numbers, mirrored);
    for (int *to : copied) copy<<<1, N, 0, second>>>(numbers, to);
    mirror<<<1, N, 0, first>>>(numbers, mirrored);
    CHECK(cudaEventRecord(done, first));
    CHECK(cudaStreamWaitEvent(second, done, 0));
    replace<<<1, N, 0, second>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, mirrored, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 0;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
