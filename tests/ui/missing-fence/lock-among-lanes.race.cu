//@ lens-ptx: race
//@ class: missing-fence
// Threads of several warps and blocks take turns by a lock that has no fences at all.
// The bug is one, and so is the finding: lanes of one warp, warps of a block and blocks all lack the same two
// fences. The clean twin has them.
#include "../support/check.h"

__global__ void count(int *lock, int *sum) {
    bool done = threadIdx.x % 16 != 0; // four threads of each block take part
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *sum += 1; //~ RACE(1) RACE(1)
            atomicExch(lock, 0);
            done = true;
        }
    }
}

int main() {
    int got, *memory; // lock, sum
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    count<<<2, 64>>>(memory, memory + 1);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 8;
}
//@ engine-guard: race
