//@ lens-ptx: race
//@ class: fence-scope
//@ nvcc: -g
// A running kernel waits for the host, which writes an order and sets a flag.
// The bug: the kernel reads the flag at device scope, which does not include the host; to
// wait for the kernel first, as hosts usually should, would be a deadlock. The clean twin reads
// it at system scope.
#include "../support/check.h"
#include <atomic>
#include <cuda/atomic>

__global__ void obey(int *order, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0) {} //~ RACE(2)
    *out = *order; //~ RACE(1)
}

int main() {
    int *order, *flag, *out;
    CHECK(cudaHostAlloc(&order, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&out, sizeof(int), cudaHostAllocMapped));
    *order = *flag = *out = 0;
    obey<<<1, 1>>>(order, flag, out);
    *order = 12; //~ RACE(1)
    std::atomic_thread_fence(std::memory_order_release);
    *static_cast<volatile int *>(flag) = 1; //~ RACE(2)
    CHECK(cudaDeviceSynchronize());
    int done = *out;
    std::printf("%d\n", done);
    return done != 12;
}
