//@ lens-ptx: race
//@ class: inter-block
// Blocks claim jobs: by a flag that nobody ever puts back, and from a queue whose first place a block has moved on.
// The bug: all note in one place which job they did last. That a claim is held is no lock: what is missing is a
// place for each block. The clean twin has one.
#include "../support/check.h"

__global__ void work(int *claims, int *front, int *last) {
    if (threadIdx.x != 0) return;
    int *mine = last + 0;
    for (int job = 0; job < 4; ++job) {
        if (atomicCAS(&claims[job], 0, 1) != 0) continue;
        int at = atomicCAS(front, 0, 1);
        *mine = job + at; //~ RACE(1) RACE(1)
        break;
    }
}

int main() {
    int got[4], *memory; // claims, the queue's front, the last jobs
    CHECK(cudaMalloc(&memory, 9 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 9 * sizeof(int)));
    work<<<4, 32>>>(memory, memory + 4, memory + 5);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d jobs\n", got[0] + got[1] + got[2] + got[3]);
    return got[0] + got[1] + got[2] + got[3] != 4;
}
//@ engine-guard: race
