//@ lens-ptx: race
//@ class: inter-block
// Blocks transpose a matrix, one row each.
// The bug: in place, so a block overwrites elements that another has yet to read. The
// clean twin has a matrix for the result.
#include "../support/check.h"

constexpr int SIZE = 8;

__global__ void transpose(const int *from, int *to) {
    int row = blockIdx.x, column = threadIdx.x;
    int value = from[row * SIZE + column]; //~ RACE(1)
    to[column * SIZE + row] = value; //~ RACE(1)
}

int main() {
    const int n = SIZE * SIZE;
    int host[n], got[n], *matrix, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&matrix, 2 * sizeof host));
    CHECK(cudaMemcpy(matrix, host, sizeof host, cudaMemcpyHostToDevice));
    int *result = matrix;
    transpose<<<SIZE, SIZE>>>(matrix, result);
    CHECK(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i % SIZE * SIZE + i / SIZE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
