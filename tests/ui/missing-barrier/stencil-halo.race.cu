//@ lens-ptx: race
//@ class: missing-barrier
// A vertical stencil over a shared tile whose rows are loaded by one warp each.
// The bug: no barrier after loading, so rows above and below may not be there yet.
// The clean twin waits for the whole tile.
#include "../support/check.h"

constexpr int WIDTH = 32, ROWS = 4;

__global__ void vertical_sum(const int *in, int *out) {
    __shared__ int tile[ROWS + 2][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * ROWS + y; // of the input without its halo
    tile[y + 1][x] = in[(row + 1) * WIDTH + x]; //~ RACE(1)
    if (y == 0) tile[0][x] = in[row * WIDTH + x];
    if (y == ROWS - 1) tile[ROWS + 1][x] = in[(row + 2) * WIDTH + x];
    int sum = tile[y][x] + tile[y + 2][x]; //~ RACE(1)
    out[row * WIDTH + x] = sum;
}

int main() {
    const int blocks = 3, rows = blocks * ROWS;
    static int host[rows + 2][WIDTH], got[rows][WIDTH];
    int *in, *out;
    for (int y = 0; y < rows + 2; ++y)
        for (int x = 0; x < WIDTH; ++x) host[y][x] = y * 100 + x;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    vertical_sum<<<blocks, dim3(WIDTH, ROWS)>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < WIDTH; ++x) wrong += got[y][x] != host[y][x] + host[y + 2][x];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
