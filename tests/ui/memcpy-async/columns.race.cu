//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// The left columns of a matrix are downloaded while a kernel fills the right ones.
// The bug: the copy is one column too wide. In the clean twin the columns are disjoint,
// although the address ranges of copy and kernel interleave.
#include "../support/check.h"

constexpr int WIDTH = 16, HALF = WIDTH / 2, ROWS = 4;

__global__ void fill_right(int *matrix) {
    int row = threadIdx.x / HALF, column = HALF + threadIdx.x % HALF;
    matrix[row * WIDTH + column] = 1; //~ RACE(1)
}

int main() {
    int *host, *matrix, wrong = 0;
    cudaStream_t work, download;
    const size_t pitch = WIDTH * sizeof(int);
    CHECK(cudaMallocHost(&host, ROWS * pitch));
    CHECK(cudaMalloc(&matrix, ROWS * pitch));
    CHECK(cudaMemset(matrix, 0, ROWS * pitch));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&download));
    const size_t width = (HALF + 1) * sizeof(int);
    fill_right<<<1, ROWS * HALF, 0, work>>>(matrix);
    CHECK(cudaMemcpy2DAsync(host, pitch, matrix, pitch, width, ROWS, cudaMemcpyDeviceToHost, download)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    for (int row = 0; row < ROWS; ++row)
        for (int column = 0; column < HALF; ++column) wrong += host[row * WIDTH + column] != 0;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
