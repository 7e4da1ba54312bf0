//@ lens-ptx: race
//@ class: inter-block
// Operations are chosen at run time from a table of function pointers.
// The bug: one of them writes its result where all blocks do. The clean twin gives it
// the block's own place.
#include "../support/check.h"

using Operation = void (*)(int *, int);

__device__ __noinline__ void store(int *result, int value) {
    result[0] = value; //~ RACE(1) RACE(1)
}

__device__ __noinline__ void store_square(int *result, int value) {
    result[4 + blockIdx.x] = value * value;
}

__device__ Operation operations[2] = {store, store_square};

__global__ void apply(int which, int *result) {
    if (threadIdx.x == 0) operations[which](result, blockIdx.x + 1);
}

int main() {
    int got[8], *result;
    CHECK(cudaMalloc(&result, sizeof got));
    CHECK(cudaMemset(result, 0, sizeof got));
    for (int which = 0; which < 2; ++which) apply<<<4, 32>>>(which, result);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[7]);
    return got[0] < 1 || got[7] != 16;
}
//@ engine-collide: race
//@ engine-guard: race
