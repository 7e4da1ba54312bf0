//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
//@ run: --devices 2
// A result of the first device is copied to the second.
// The bug: the copy is on a stream of the second device, which does not wait for the
// kernel on the first. The clean twin makes it wait for an event.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 5 * threadIdx.x; //~ RACE(1)
}

int main() {
    int got[N], *from, *to, wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t filled;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&from, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaEventCreate(&filled));
    fill<<<1, N, 0, first>>>(from);
    CHECK(cudaEventRecord(filled, first));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaMemcpyPeerAsync(to, 1, from, 0, sizeof got, second)); //~ RACE(1)
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 5 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
