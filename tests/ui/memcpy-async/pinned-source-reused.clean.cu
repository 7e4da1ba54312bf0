//@ lens-ptx: clean
//@ nvcc: -g
// The host uploads a value from pinned memory and prepares the next in the same place.
// Clean: the host waits for the upload before it reuses the pinned memory.
#include "../support/check.h"

__global__ void increment(int *value) { *value += 1; }

int main() {
    int *pinned, *device, got;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&pinned, sizeof(int)));
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    *pinned = 1;
    CHECK(cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    *pinned = 2;
    increment<<<1, 1, 0, stream>>>(device);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 2;
}
