//@ lens-ptx: clean
// One block publishes a pair of numbers with a release store.
// Clean: both numbers are written before the release store.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void publish(int *first, int *second, int *ready, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *first = 3;
        *second = 4;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        int a = *first;
        int b = *second;
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
