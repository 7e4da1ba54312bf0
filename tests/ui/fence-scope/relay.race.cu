//@ lens-ptx: race
//@ class: fence-scope
// Three blocks pass a message on: each waits for a flag and sets the next.
// The bug: the fence of the second, between what it reads and what it sets, has block scope.
// Its own fence before the wait is wide, but comes too early. The clean twin widens it.
#include "../support/check.h"

__global__ void relay(int *message, volatile int *flag, int *other, int *out) {
    if (blockIdx.x == 0) {
        *message = 5; //~ RACE(1)
        __threadfence();
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        *other = 1;
        __threadfence();
        while (flag[0] == 0) {}
        __threadfence_block();
        flag[1] = 1;
    } else {
        while (flag[1] == 0) {}
        __threadfence();
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, two flags, other, out
    CHECK(cudaMalloc(&memory, 5 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 5 * sizeof(int)));
    relay<<<3, 1>>>(memory, memory + 1, memory + 3, memory + 4);
    CHECK(cudaMemcpy(&got, memory + 4, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 5;
}
//@ engine-guard: race
