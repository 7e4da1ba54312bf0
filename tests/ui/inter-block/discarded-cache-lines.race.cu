//@ lens-ptx: race
//@ class: inter-block
// A scratch array's cache lines are discarded rather than written back once it is used up.
// The bug: to discard is to write anything, and other blocks still read. The clean twin discards only what the
// block has written itself.
#include "../support/check.h"

constexpr int LINE = 32, BLOCKS = 4;

__global__ void __launch_bounds__(LINE) use_up(const int *scratch, int *out, int *own) {
    int next = (blockIdx.x + 1) % BLOCKS;
    out[blockIdx.x * LINE + threadIdx.x] = scratch[next * LINE + threadIdx.x]; //~ RACE(1)
    own[blockIdx.x * LINE + threadIdx.x] = 1;
    __syncthreads();
    const int *line = scratch + blockIdx.x * LINE;
    if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(line) : "memory"); //~ RACE(1)
}

int main() {
    int host[BLOCKS * LINE], got[BLOCKS * LINE], *scratch, *out, *own, wrong = 0;
    for (int i = 0; i < BLOCKS * LINE; ++i) host[i] = i;
    CHECK(cudaMalloc(&scratch, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&own, sizeof host));
    CHECK(cudaMemcpy(scratch, host, sizeof host, cudaMemcpyHostToDevice));
    use_up<<<BLOCKS, LINE>>>(scratch, out, own);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * LINE; ++i) wrong += got[i] != (i + LINE) % (BLOCKS * LINE);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
