//@ lens-ptx: race
//@ class: fence-scope
//@ class(2): atomic-scope
// One block hands a value to another. The fences reach the whole GPU; as fence.sc they would order by themselves.
// The bug: the flag is set by an atomic of block scope, so what the other block reads is not known to be released.
#include "../support/check.h"

__global__ void hand_over(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; //~ RACE(1)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        atomicExch_block(flag, 1); //~ RACE(2)
    } else {
        while (atomicAdd(flag, 0) == 0) {} //~ RACE(2)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        *out = *data; //~ RACE(1)
    }
}

int main() {
    int *memory, got = 0;
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    hand_over<<<2, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 42;
}
