// A sparse matrix in rows of 32 (1 Mi rows, columns far apart) times a vector, a warp a row, five times.
#include "../timed.h"

__global__ void fill(int n, int *column, float *value, float *x) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * 32; i += gridDim.x * blockDim.x) {
        column[i] = (i * 2654435761u) % n;
        value[i] = 1;
        if (i < n) x[i] = 1;
    }
}

__global__ void multiply(int n, const int *column, const float *value, const float *x, float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    float s = value[row * 32 + lane] * x[column[row * 32 + lane]];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) y[row] = s;
}

int main() {
    const int n = 1 << 20;
    int *column;
    float *value, *x, *y;
    cudaMalloc(&column, sizeof *column * n * 32);
    cudaMalloc(&value, sizeof *value * n * 32);
    cudaMalloc(&x, sizeof *x * n);
    cudaMalloc(&y, sizeof *y * n);
    fill<<<1024, 256>>>(n, column, value, x);
    multiply<<<n / 8, 256>>>(n, column, value, x, y);
    Timed timed;
    for (int i = 0; i < 5; i++) multiply<<<n / 8, 256>>>(n, column, value, x, y);
}
