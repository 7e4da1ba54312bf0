//@ lens-ptx: race
//@ class: missing-barrier divergent-warp
// A matrix is transposed by tiles in shared memory, padded against bank conflicts.
// The bug: no barrier between storing rows and reading columns. The clean twin has it.
#include "../support/check.h"

constexpr int TILE = 16;

__global__ void transpose(const int *in, int *out, int size) {
    __shared__ int tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int from = (blockIdx.y * TILE + y) * size + blockIdx.x * TILE + x;
    int to = (blockIdx.x * TILE + y) * size + blockIdx.y * TILE + x;
    tile[y][x] = in[from]; //~ RACE(1)
    int value = tile[x][y]; //~ RACE(1)
    out[to] = value;
}

int main() {
    const int size = 2 * TILE, n = size * size;
    static int host[n], got[n];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    transpose<<<dim3(2, 2), dim3(TILE, TILE)>>>(in, out, size);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i % size * size + i / size;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
