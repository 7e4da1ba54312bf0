//@ lens-ptx: clean
// The first block to come initialises a table, the others skip that.
// Clean: the check before the lock is an acquire load of a flag stored with release.
#include "../support/check.h"
#include <cuda/atomic>

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void initialise_once(int *mutex, int *ready, int *times) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (flag.load(cuda::memory_order_acquire) == 0) {
        lock(mutex);
        if (flag.load(cuda::memory_order_relaxed) == 0) {
            *times += 1;
            flag.store(1, cuda::memory_order_release);
        }
        unlock(mutex);
    }
}

int main() {
    int got[3], *memory; // mutex, ready, times
    CHECK(cudaMalloc(&memory, sizeof got));
    CHECK(cudaMemset(memory, 0, sizeof got));
    initialise_once<<<4, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("initialised %d time(s)\n", got[2]);
    return got[2] != 1;
}
