//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// Memory that one stream allocates is filled on another one.
// The bug: nothing tells the other stream that the allocation has happened. In the clean twin it waits for an event.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 3 * threadIdx.x; //~ RACE(1)
}

int main() {
    int got[N], *numbers, wrong = 0;
    cudaStream_t owner, other;
    cudaEvent_t there;
    CHECK(cudaStreamCreate(&owner));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreate(&there));
    CHECK(cudaMallocAsync((void **)&numbers, sizeof got, owner)); //~ RACE(1)
    CHECK(cudaEventRecord(there, owner));
    fill<<<1, N, 0, other>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 3 * i;
    CHECK(cudaFreeAsync(numbers, owner));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
