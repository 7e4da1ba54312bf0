//@ lens-ptx: race
//@ class: inter-block missing-fence
// Blocks raise a flag each when their part is done; the last block waits for all flags.
// The bug: it leaves out the last of the flags. The clean twin waits for all.
#include "../support/check.h"

__global__ void collect(int *parts, volatile int *flags, int *sum) {
    int b = blockIdx.x, workers = gridDim.x - 1;
    if (threadIdx.x != 0) return;
    if (b < workers) {
        parts[b] = 10 * b + 1; //~ RACE(1)
        __threadfence();
        flags[b] = 1;
    } else {
        for (int w = 0; w < workers - 1; ++w)
            while (flags[w] == 0) {}
        __threadfence();
        int all = 0;
        for (int w = 0; w < workers; ++w)
            all += parts[w]; //~ RACE(1)
        *sum = all;
    }
}

int main() {
    const int workers = 3;
    int got, *memory; // parts, flags, sum
    CHECK(cudaMalloc(&memory, (2 * workers + 1) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (2 * workers + 1) * sizeof(int)));
    collect<<<workers + 1, 32>>>(memory, memory + workers, memory + 2 * workers);
    CHECK(cudaMemcpy(&got, memory + 2 * workers, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 1 + 11 + 21;
}
//@ engine-guard: race
