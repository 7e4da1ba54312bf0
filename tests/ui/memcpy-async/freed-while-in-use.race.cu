//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A buffer of the stream-ordered allocator is used on another stream, and given back on its own.
// The bug: the other stream's kernel may still run when the buffer is freed, and handed to the next who asks. In the
// clean twin the free waits for the kernel.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void use(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *next, *out, wrong = 0;
    cudaStream_t owner, reader;
    cudaEvent_t ready, done;
    CHECK(cudaStreamCreate(&owner));
    CHECK(cudaStreamCreate(&reader));
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreate(&done));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMallocAsync(&numbers, sizeof got, owner));
    fill<<<1, N, 0, owner>>>(numbers);
    CHECK(cudaEventRecord(ready, owner));
    CHECK(cudaStreamWaitEvent(reader, ready, 0));
    use<<<1, N, 0, reader>>>(numbers, out);
    CHECK(cudaEventRecord(done, reader));
    CHECK(cudaFreeAsync(numbers, owner)); //~ RACE(1)
    CHECK(cudaMallocAsync(&next, sizeof got, owner));
    fill<<<1, N, 0, owner>>>(next);
    CHECK(cudaFreeAsync(next, owner));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 3 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
