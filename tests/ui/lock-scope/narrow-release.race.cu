//@ lens-ptx: race
//@ class: lock-scope
// A spin lock of cuda::atomic_ref guards a list that all blocks append to.
// The bug: unlock() releases with a fence at thread_scope_block. The clean twin
// releases at thread_scope_device.
#include "../support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ void lock(int *mutex) {
    while (Flag(*mutex).exchange(1, cuda::memory_order_acquire) != 0) {}
}

__device__ void unlock(int *mutex) {
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    Flag(*mutex).store(0, cuda::memory_order_relaxed);
}

__global__ void append(int *mutex, int *length, int *list) {
    if (threadIdx.x != 0) return;
    lock(mutex);
    int end = (*length)++; //~ RACE(1) RACE(1)
    unlock(mutex);
    list[end] = blockIdx.x;
}

int main() {
    const int blocks = 4;
    int got, *memory; // mutex, length, list
    CHECK(cudaMalloc(&memory, (2 + blocks) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (2 + blocks) * sizeof(int)));
    append<<<blocks, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != blocks;
}
//@ engine-guard: race
