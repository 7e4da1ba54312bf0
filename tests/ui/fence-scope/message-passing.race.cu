//@ lens-ptx: race
//@ class: fence-scope
// One block leaves a message, another picks it up.
// The bug: __threadfence_block() orders memory for the own block only. The clean twin
// uses __threadfence() on both sides.
#include "../support/check.h"

__global__ void send_and_receive(int *message, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *message = 42; //~ RACE(1)
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence_block();
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, flag, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    send_and_receive<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 42;
}
//@ engine-guard: race
