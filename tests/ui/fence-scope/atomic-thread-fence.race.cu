//@ lens-ptx: race
//@ class: fence-scope
// Message passing between blocks with a relaxed flag and C++ fences.
// The bug: the fences are at thread_scope_block. The clean twin has
// thread_scope_device.
#include "../support/check.h"
#include <cuda/atomic>

constexpr auto SCOPE = cuda::thread_scope_block;

__global__ void relay(int *message, int *ready, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *message = 7; //~ RACE(1)
        cuda::atomic_thread_fence(cuda::memory_order_release, SCOPE);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_relaxed) == 0) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, SCOPE);
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, ready, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    relay<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 7;
}
//@ engine-guard: race
