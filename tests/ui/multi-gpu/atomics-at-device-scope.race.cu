//@ lens-ptx: race
//@ run: --devices 2
// Two devices count in one counter at the same time.
// The bug: atomicAdd() is atomic within a device. The clean twin uses
// atomicAdd_system().
#include "../support/check.h"

__global__ void count(int *counter) {
    atomicAdd(counter, 1); //~ RACE(1) RACE(1)
}

int main() {
    int got, *counter;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    count<<<2, 32>>>(counter);
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    count<<<2, 32>>>(counter);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 128;
}
//@ engine-guard: race
