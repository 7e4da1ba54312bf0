//@ lens-ptx: clean
//@ nvcc: -g
// A running kernel waits for the host, which writes an order and sets a flag.
// Clean: both sides have system scope.
#include "../support/check.h"
#include <atomic>
#include <cuda/atomic>

__global__ void obey(int *order, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_system> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    *out = *order;
}

int main() {
    int *order, *flag, *out;
    CHECK(cudaHostAlloc(&order, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&out, sizeof(int), cudaHostAllocMapped));
    *order = *flag = *out = 0;
    obey<<<1, 1>>>(order, flag, out);
    *order = 12;
    std::atomic_thread_fence(std::memory_order_release);
    *static_cast<volatile int *>(flag) = 1;
    CHECK(cudaDeviceSynchronize());
    int done = *out;
    std::printf("%d\n", done);
    return done != 12;
}
