//@ lens-ptx: race
//@ class: missing-fence
// The first block to come fills a table under a lock and sets a flag; the others see the flag, and take no lock.
// The bug: the flag is volatile, and nobody fences behind reading it. The clean twin does.
#include "../support/check.h"

__global__ void look_up(int *mutex, volatile int *ready, int *table, int *out) {
    if (threadIdx.x != 0) return;
    int seen = *ready;
    if (!seen) {
        while (atomicCAS(mutex, 0, 1) != 0) {}
        __threadfence();
        if (!*ready) {
            *table = 7; //~ RACE(1)
            __threadfence();
            *ready = 1;
        }
        __threadfence();
        atomicExch(mutex, 0);
    }
    out[blockIdx.x] = *table; //~ RACE(1)
}

int main() {
    const int blocks = 16;
    int got[blocks], *memory, wrong = 0; // mutex, ready, table, out
    CHECK(cudaMalloc(&memory, (3 + blocks) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (3 + blocks) * sizeof(int)));
    look_up<<<blocks, 32>>>(memory, memory + 1, memory + 2, memory + 3);
    CHECK(cudaMemcpy(got, memory + 3, sizeof got, cudaMemcpyDeviceToHost));
    for (int value : got) wrong += value != 7;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
