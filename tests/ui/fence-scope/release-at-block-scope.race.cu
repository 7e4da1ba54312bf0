//@ lens-ptx: race
//@ class(1): fence-scope
//@ class(2): atomic-scope
// A release store and an acquire load hand a message to another block.
// The bug: the store has block scope. So the flag itself is a race (2), and the
// message is not handed over (1). The clean twin stores at device scope.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void hand_over(int *message, int *ready, int *out) {
    if (blockIdx.x == 0) {
        *message = 13; //~ RACE(1)
        cuda::atomic_ref<int, cuda::thread_scope_block> flag(*ready);
        flag.store(1, cuda::memory_order_release); //~ RACE(2)
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
        while (flag.load(cuda::memory_order_acquire) == 0) {} //~ RACE(2)
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, ready, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    hand_over<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 13;
}
//@ engine-guard: race
