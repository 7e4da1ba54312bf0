//@ lens-ptx: clean
// Blocks leave their result in a __device__ variable.
// Clean: each block has an element of the variable.
#include "../support/check.h"

constexpr int BLOCKS = 4;

__device__ int result[BLOCKS];

__global__ void leave_result() {
    if (threadIdx.x == 0)
        result[blockIdx.x] = blockIdx.x;
}

int main() {
    int got[BLOCKS] = {};
    leave_result<<<BLOCKS, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(got, result, sizeof result));
    std::printf("%d\n", got[0]);
    return got[0] < 0 || got[0] >= BLOCKS;
}
