//@ lens-ptx: race
//@ class: inter-block
// Blocks fill rows of five numbers each, in a matrix padded to eight per row.
// The bug: rows are stored as two float4, but laid out four apart, so the second vector
// covers the row after. The clean twin lays them out eight apart.
#include "../support/check.h"

constexpr int PITCH = 4;

__global__ void fill_rows(float *matrix) {
    if (threadIdx.x != 0) return;
    float *row = matrix + blockIdx.x * PITCH;
    float x = blockIdx.x;
    *reinterpret_cast<float4 *>(row) = make_float4(x, x, x, x); //~ RACE(1)
    *reinterpret_cast<float4 *>(row + 4) = make_float4(x, 0, 0, 0); //~ RACE(1)
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
//@ engine-guard: race
