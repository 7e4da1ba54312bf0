//@ lens-ptx: race
//@ class: inter-kernel
// Memory is allocated in the order of one stream and used on another.
// The bug: the other stream does not wait for the kernel that fills the memory. In the
// clean twin it waits for an event, and the free waits for it in turn.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 3 * threadIdx.x; //~ RACE(1)
}

__global__ void use(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t owner, reader;
    cudaEvent_t ready, done;
    CHECK(cudaStreamCreate(&owner));
    CHECK(cudaStreamCreate(&reader));
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreate(&done));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMallocAsync(&numbers, sizeof got, owner));
    CHECK(cudaEventRecord(ready, owner));
    fill<<<1, N, 0, owner>>>(numbers);
    CHECK(cudaStreamWaitEvent(reader, ready, 0));
    use<<<1, N, 0, reader>>>(numbers, out);
    CHECK(cudaEventRecord(done, reader));
    CHECK(cudaStreamWaitEvent(owner, done, 0));
    CHECK(cudaFreeAsync(numbers, owner));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 3 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
