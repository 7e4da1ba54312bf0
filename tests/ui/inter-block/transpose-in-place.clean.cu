//@ lens-ptx: clean
// Blocks transpose a matrix, one row each.
// Clean: the result is another matrix.
#include "../support/check.h"

constexpr int SIZE = 8;

__global__ void transpose(const int *from, int *to) {
    int row = blockIdx.x, column = threadIdx.x;
    int value = from[row * SIZE + column];
    to[column * SIZE + row] = value;
}

int main() {
    const int n = SIZE * SIZE;
    int host[n], got[n], *matrix, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&matrix, 2 * sizeof host));
    CHECK(cudaMemcpy(matrix, host, sizeof host, cudaMemcpyHostToDevice));
    int *result = matrix + n;
    transpose<<<SIZE, SIZE>>>(matrix, result);
    CHECK(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i % SIZE * SIZE + i / SIZE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
