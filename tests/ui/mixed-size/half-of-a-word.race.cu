//@ lens-ptx: race
//@ class: mixed-size
// A 64-bit atomic counter whose low half is watched by another block.
// The bug: the watcher reads 32 of the 64 bits. Even as a volatile read that is a race:
// strong accesses must overlap completely. The clean twin reads all 64 bits.
#include "../support/check.h"

using Counter = unsigned long long;

__global__ void count_and_watch(Counter *counter, unsigned *seen) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1ull); //~ RACE(1)
    } else if (threadIdx.x == 0) {
        unsigned low = *reinterpret_cast<volatile unsigned *>(counter); //~ RACE(1)
        *seen = low;
    }
}

int main() {
    Counter got, *counter;
    unsigned *seen;
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMalloc(&seen, sizeof *seen));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    count_and_watch<<<2, 32>>>(counter, seen);
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%llu\n", got);
    return got != 32;
}
//@ engine-guard: race
