//@ lens-ptx: race
//@ class: missing-fence
// One block publishes a pair of numbers with a release store.
// The bug: the second number is written after the flag. The first one is safe, the
// second races. The clean twin writes both before the flag.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void publish(int *first, int *second, int *ready, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *first = 3;
        flag.store(1, cuda::memory_order_release);
        *second = 4; //~ RACE(1)
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        int a = *first;
        int b = *second; //~ RACE(1)
        *out = a * b;
    }
}

int main() {
    int got, *memory; // first, second, ready, out
    CHECK(cudaMalloc(&memory, 4 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 4 * sizeof(int)));
    publish<<<2, 1>>>(memory, memory + 1, memory + 2, memory + 3);
    CHECK(cudaMemcpy(&got, memory + 3, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 12;
}
//@ engine-guard: race
