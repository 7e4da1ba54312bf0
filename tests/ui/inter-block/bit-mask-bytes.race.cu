//@ lens-ptx: race
//@ class: inter-block
// Blocks report success.
// The bug: they set bits of one byte, which reads and writes the whole byte. In the
// clean twin each has a byte of its own; neighbouring bytes do not race.
#include "../support/check.h"

__global__ void report_success(unsigned char *done) {
    if (threadIdx.x == 0)
        done[0] |= 1u << blockIdx.x; //~ RACE(1) RACE(1)
}

int main() {
    const int blocks = 8;
    unsigned char got[blocks], *done;
    int count = 0;
    CHECK(cudaMalloc(&done, sizeof got));
    CHECK(cudaMemset(done, 0, sizeof got));
    report_success<<<blocks, 32>>>(done);
    CHECK(cudaMemcpy(got, done, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned char byte : got) count += __builtin_popcount(byte);
    std::printf("%d of %d\n", count, blocks);
    return count != blocks;
}
//@ engine-guard: race
//@ engine-collide: race
