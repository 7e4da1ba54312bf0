// C = A B of 2048 x 2048 floats with tiles of 32 x 32 in shared memory.
#include "../timed.h"

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[32][33], tb[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k += 32) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 32; i++) s += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = s;
}

int main() {
    const int n = 2048;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * n * n);
    cudaMalloc(&b, sizeof(float) * n * n);
    cudaMalloc(&c, sizeof(float) * n * n);
    cudaMemset(a, 0, sizeof(float) * n * n);
    cudaMemset(b, 0, sizeof(float) * n * n);
    dim3 grid(n / 32, n / 32), block(32, 32);
    multiply<<<grid, block>>>(a, b, c, n);
    Timed timed;
    multiply<<<grid, block>>>(a, b, c, n);
}
