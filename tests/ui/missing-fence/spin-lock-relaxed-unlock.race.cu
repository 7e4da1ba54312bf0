//@ lens-ptx: race
//@ class: missing-fence
// A spin lock of cuda::atomic_ref with exchange and store.
// The bug: unlock() stores relaxed. The clean twin stores with release.
#include "../support/check.h"
#include <cuda/atomic>

class SpinLock {
    int taken = 0;

  public:
    __device__ void lock() {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(taken);
        while (flag.exchange(1, cuda::memory_order_acquire) != 0) {}
    }
    __device__ void unlock() {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(taken);
        flag.store(0, cuda::memory_order_relaxed);
    }
};

__device__ SpinLock guard;
__device__ int visits;

__global__ void visit() {
    if (threadIdx.x == 0) {
        guard.lock();
        ++visits; //~ RACE(1) RACE(1)
        guard.unlock();
    }
}

int main() {
    int got;
    visit<<<6, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&got, visits, sizeof got));
    std::printf("%d\n", got);
    return got != 6;
}
//@ engine-guard: race
