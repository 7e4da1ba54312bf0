//@ lens-ptx: race
//@ class: multi-gpu
//@ run: --devices 2
// Two devices write memory of the first, in streams of their own.
// The bug: the event is recorded, but the second stream does not wait for it. In the clean
// twin it does.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers, int by) {
    numbers[threadIdx.x] = by * threadIdx.x; //~ RACE(1) RACE(1)
}

int main() {
    int got[N], *numbers, wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t filled;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaSetDevice(0));
    fill<<<1, N, 0, first>>>(numbers, 1);
    CHECK(cudaEventRecord(filled, first));
    CHECK(cudaSetDevice(1));
    fill<<<1, N, 0, second>>>(numbers, 2);
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDefault));
    for (int i = 0; i < N; ++i) wrong += got[i] != i && got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
