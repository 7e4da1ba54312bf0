//@ lens-ptx: clean
// A 64-bit atomic counter whose low half is watched by another block.
// Clean: the watcher reads all 64 bits, in one volatile access.
#include "../support/check.h"

using Counter = unsigned long long;

__global__ void count_and_watch(Counter *counter, unsigned *seen) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1ull);
    } else if (threadIdx.x == 0) {
        unsigned low = static_cast<unsigned>(*static_cast<volatile Counter *>(counter));
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
