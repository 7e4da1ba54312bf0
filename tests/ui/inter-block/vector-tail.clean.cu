//@ lens-ptx: clean
// Blocks fill rows of five numbers each, in a matrix padded to eight per row.
// Clean: rows are eight apart, as wide as what is stored.
#include "../support/check.h"

constexpr int PITCH = 8;

__global__ void fill_rows(float *matrix) {
    if (threadIdx.x != 0) return;
    float *row = matrix + blockIdx.x * PITCH;
    float x = blockIdx.x;
    *reinterpret_cast<float4 *>(row) = make_float4(x, x, x, x);
    *reinterpret_cast<float4 *>(row + 4) = make_float4(x, 0, 0, 0);
}

int main() {
    const int rows = 2;
    float got[rows * 8], *matrix;
    int wrong = 0;
    CHECK(cudaMalloc(&matrix, sizeof got));
    fill_rows<<<rows, 32>>>(matrix);
    CHECK(cudaMemcpy(got, matrix, sizeof got, cudaMemcpyDeviceToHost));
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < 5; ++i) wrong += got[row * 8 + i] != row;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
