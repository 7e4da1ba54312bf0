//@ lens-ptx: race
//@ class: inter-block missing-fence
// Blocks take jobs from a queue until it is empty.
// The bug: the head of the queue is advanced by a plain increment. The clean twin
// advances it with atomicAdd().
#include "../support/check.h"

__global__ void take_jobs(int *head, int jobs, int *done) {
    if (threadIdx.x != 0) return;
    for (int taken = 0; taken < jobs; ++taken) {
        int job = (*head)++; //~ RACE(1) RACE(1)
        if (job >= jobs) break;
        atomicAdd(&done[job], 1);
    }
}

int main() {
    const int jobs = 6;
    int got[jobs], *memory, wrong = 0; // head, done
    CHECK(cudaMalloc(&memory, (1 + jobs) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (1 + jobs) * sizeof(int)));
    take_jobs<<<3, 32>>>(memory, jobs, memory + 1);
    CHECK(cudaMemcpy(got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    for (int times : got) wrong += times != 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
