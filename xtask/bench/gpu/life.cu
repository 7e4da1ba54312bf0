// Conway's game on 8192 x 8192 bytes, ten steps between two buffers.
#include "../timed.h"

__global__ void step(const unsigned char *from, unsigned char *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += from[((y + dy) & (n - 1)) * n + ((x + dx) & (n - 1))];
    to[y * n + x] = alive == 3 || (alive == 2 && from[y * n + x]);
}

int main() {
    const int n = 8192;
    unsigned char *a, *b;
    cudaMalloc(&a, n * n);
    cudaMalloc(&b, n * n);
    cudaMemset(a, 0, n * n);
    cudaMemset(b, 0, n * n);
    dim3 grid(n / 32, n / 8), block(32, 8);
    step<<<grid, block>>>(a, b, n);
    Timed timed;
    for (int i = 0; i < 5; i++) {
        step<<<grid, block>>>(a, b, n);
        step<<<grid, block>>>(b, a, n);
    }
}
