//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// The host uploads a value from pinned memory and prepares the next in the same place.
// The bug: the upload is asynchronous and may not have read the value yet. The clean
// twin waits for it.
#include "../support/check.h"

__global__ void increment(int *value) { *value += 1; }

int main() {
    int *pinned, *device, got;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&pinned, sizeof(int)));
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    *pinned = 1;
    CHECK(cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice, stream)); //~ RACE(1)
    *pinned = 2; //~ RACE(1)
    increment<<<1, 1, 0, stream>>>(device);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 2;
}
