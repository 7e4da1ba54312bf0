//@ lens-ptx: race
//@ class: missing-fence
// One block leaves a result and announces it.
// The bug: the fence stands before the result instead of after it. The clean twin
// moves it down one line.
#include "../support/check.h"

__global__ void announce(int *result, int *flag, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        *result = 77; //~ RACE(1)
        atomicExch(flag, 1);
    } else {
        while (atomicCAS(flag, 1, 2) != 1) {}
        __threadfence();
        int received = *result; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // result, flag, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    announce<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 77;
}
//@ engine-guard: race
