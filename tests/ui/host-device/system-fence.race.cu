//@ lens-ptx: race
//@ class: fence-scope
//@ nvcc: -g
// A running kernel hands a message to the host, which polls a flag in mapped memory.
// The bug: __threadfence() orders memory for the device, not for the host. The clean twin
// uses __threadfence_system().
#include "../support/check.h"
#include <cuda/atomic>

__global__ void send(int *message, int *flag) {
    *message = 31; //~ RACE(1)
    __threadfence();
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_relaxed);
}

int main() {
    int *message, *flag;
    CHECK(cudaHostAlloc(&message, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    *message = *flag = 0;
    send<<<1, 1>>>(message, flag);
    cuda::atomic_ref<int, cuda::thread_scope_system> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    int received = *message; //~ RACE(1)
    std::printf("%d\n", received);
    CHECK(cudaDeviceSynchronize());
    return received != 31;
}
