//@ lens-ptx: race
//@ class: missing-fence
// Two blocks take turns on one variable; a turn counter says whose it is.
// The bug: the turn is passed on relaxed. The clean twin passes it on with release.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void take_turns(int *turn, int *value, int turns) {
    cuda::atomic_ref<int, cuda::thread_scope_device> whose(*turn);
    for (int i = blockIdx.x; i < turns; i += 2) {
        while (whose.load(cuda::memory_order_acquire) != i) {}
        *value += i; //~ RACE(1) RACE(1)
        whose.store(i + 1, cuda::memory_order_relaxed);
    }
}

int main() {
    int got, *memory; // turn, value
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    take_turns<<<2, 1>>>(memory, memory + 1, 8);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 28;
}
//@ engine-guard: race
