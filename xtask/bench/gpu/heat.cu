// Seven points on 256 x 256 x 256 floats, twenty steps between two buffers.
#include "../timed.h"

__global__ void step(const float *from, float *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    int i = (z * n + y) * n + x;
    to[i] = from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] + from[i - n * n] + from[i + n * n]
                              - 6 * from[i]);
}

int main() {
    const int n = 256;
    float *a, *b;
    cudaMalloc(&a, sizeof *a * n * n * n);
    cudaMalloc(&b, sizeof *b * n * n * n);
    cudaMemset(a, 0, sizeof *a * n * n * n);
    cudaMemset(b, 0, sizeof *b * n * n * n);
    dim3 grid(n / 32, n / 8, n), block(32, 8);
    step<<<grid, block>>>(a, b, n);
    Timed timed;
    for (int i = 0; i < 10; i++) {
        step<<<grid, block>>>(a, b, n);
        step<<<grid, block>>>(b, a, n);
    }
}
