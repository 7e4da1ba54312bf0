//@ lens-ptx: clean
// Blocks count events; one block looks at the counter to decide how to go on.
// Clean: the counter is only ever touched by atomics; a stale value is no race.
#include "../support/check.h"

__global__ void count_and_look(int *events, int *seen) {
    if (blockIdx.x != 0) {
        atomicAdd(events, 1);
    } else if (threadIdx.x == 0) {
        int now = atomicAdd(events, 0);
        *seen = now;
    }
}

int main() {
    int got[2], *memory; // events, seen
    CHECK(cudaMalloc(&memory, sizeof got));
    CHECK(cudaMemset(memory, 0, sizeof got));
    count_and_look<<<3, 32>>>(memory, memory + 1);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d events\n", got[0]);
    return got[0] != 64 || got[1] > 64;
}

//@ engine-guard: unseen
