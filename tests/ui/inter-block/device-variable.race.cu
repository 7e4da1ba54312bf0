//@ lens-ptx: race
//@ class: inter-block
// Blocks leave their result in a __device__ variable.
// The bug: all in the same. The clean twin has an element for each block.
#include "../support/check.h"

constexpr int BLOCKS = 4;

__device__ int result;

__global__ void leave_result() {
    if (threadIdx.x == 0)
        result = blockIdx.x; //~ RACE(1) RACE(1)
}

int main() {
    int got[BLOCKS] = {};
    leave_result<<<BLOCKS, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(got, result, sizeof result));
    std::printf("%d\n", got[0]);
    return got[0] < 0 || got[0] >= BLOCKS;
}
//@ engine-guard: race
//@ engine-collide: race
