//@ lens-ptx: race
//@ class: missing-barrier divergent-warp
// The tiled matrix product of every CUDA course.
// The bug: the barrier at the end of the loop is missing, so the next tiles are stored
// while slower threads still multiply. The clean twin has both barriers.
#include "../support/check.h"

constexpr int TILE = 8, SIZE = 2 * TILE;

__global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < SIZE; k += TILE) {
        left[y][x] = a[row * SIZE + k + x]; //~ RACE(1)
        right[y][x] = b[(k + y) * SIZE + column]; //~ RACE(2)
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            float l = left[y][i]; //~ RACE(1)
            float r = right[i][x]; //~ RACE(2)
            sum += l * r;
        }
    }
    c[row * SIZE + column] = sum;
}

int main() {
    const int n = SIZE * SIZE;
    float host[n], got[n], *a, *b, *c;
    int wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i / SIZE == i % SIZE ? 3.0f : 0.0f;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&c, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    multiply<<<dim3(2, 2), dim3(TILE, TILE)>>>(a, b, c);
    CHECK(cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i / SIZE == i % SIZE ? 9.0f : 0.0f);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
