// A stencil in place, after the description of PreDataR's Figure 11: each block has some rows, each thread a column.
// Threads announce themselves, and store their results, in critical sections of one lock; they read the columns beside
// theirs outside of it. In an execution in which threads follow one another, the lock's hand-over hides that.
#include <cstdio>
#include <cstdlib>

constexpr int COLUMNS = 32, ROWS = 2, BLOCKS = 2;

__global__ void stencil(float *grid, int *locks, int *current) {
    int column = threadIdx.x, *lock = locks + blockIdx.x;
    for (int row = blockIdx.x * ROWS; row < (blockIdx.x + 1) * ROWS; ++row) {
        float *cells = grid + row * COLUMNS;
        for (bool done = false; !done;) {
            if (atomicCAS(lock, 0, 1) != 0) continue;
            __threadfence();
            current[blockIdx.x] = column;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
        float left = column > 0 ? cells[column - 1] : 0;
        float right = column + 1 < COLUMNS ? cells[column + 1] : 0;
        __threadfence();
        for (bool done = false; !done;) {
            if (atomicCAS(lock, 0, 1) != 0) continue;
            __threadfence();
            cells[column] = (left + cells[column] + right) / 3;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

int main() {
    constexpr int size = COLUMNS * ROWS * BLOCKS;
    float host[size], *grid;
    int *locks, *current;
    for (int i = 0; i < size; ++i) host[i] = float(i % 7);
    cudaMalloc(&grid, sizeof host);
    cudaMalloc(&locks, BLOCKS * sizeof(int));
    cudaMalloc(&current, BLOCKS * sizeof(int));
    cudaMemcpy(grid, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(locks, 0, BLOCKS * sizeof(int));
    stencil<<<BLOCKS, COLUMNS>>>(grid, locks, current);
    cudaMemcpy(host, grid, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%f\n", host[size / 2]);
    return cudaGetLastError() == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}
