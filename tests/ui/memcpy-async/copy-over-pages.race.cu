//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A copy of 4,096 bytes into the middle of an array that a kernel reads.
// The bug: they are in two streams. The report tells the whole copy, not the part of it that lies in one page of memory.
// In the clean twin both are in one stream.
#include "../support/check.h"

__global__ void sum(const int *data, int *out) {
    int total = 0;
    for (int i = 0; i < 2048; ++i) total += data[i]; //~ RACE(1)
    *out = total;
}

int main() {
    static int host[1024];
    int got, *data, *out;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&data, 2048 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(data, 0, 2048 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    sum<<<1, 1, 0, first>>>(data, out);
    CHECK(cudaMemcpyAsync(data + 128, host, sizeof host, cudaMemcpyHostToDevice, second)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 0;
}
//@ engine-guard: race
