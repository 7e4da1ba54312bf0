//@ lens-ptx: race
//@ class: missing-barrier
// Two warps set their own flag of a shared status word.
// The bug: the flags are bit-fields of one word, and setting one reads and writes the
// whole word. The clean twin gives each flag a byte of its own: bytes never race.
#include "../support/check.h"

struct Status {
    unsigned loaded : 4;
    unsigned sorted : 4;
};

__global__ void report_status(int *out) {
    __shared__ Status status;
    if (threadIdx.x == 0) status = Status{0, 0};
    __syncthreads();
    if (threadIdx.x == 0)
        status.loaded = 3; //~ RACE(1)
    if (threadIdx.x == 32)
        status.sorted = 5; //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = status.loaded * 16 + status.sorted;
}

int main() {
    int got[2], *out;
    CHECK(cudaMalloc(&out, sizeof got));
    report_status<<<2, 64>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%#x %#x\n", got[0], got[1]);
    return got[0] != 0x35 || got[1] != 0x35;
}
//@ advice: its clean twin gives each flag a byte of its own, in place of the barrier
//@ engine-guard: race
//@ engine-collide: race
