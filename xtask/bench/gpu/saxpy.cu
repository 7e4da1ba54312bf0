// y = a x + y on 64 Mi floats, ten times.
#include "../timed.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
    const int n = 64 << 20;
    float *x, *y;
    cudaMalloc(&x, sizeof *x * n);
    cudaMalloc(&y, sizeof *y * n);
    cudaMemset(x, 0, sizeof *x * n);
    cudaMemset(y, 0, sizeof *y * n);
    saxpy<<<n / 256, 256>>>(n, 2, x, y);
    Timed timed;
    for (int i = 0; i < 10; i++) saxpy<<<n / 256, 256>>>(n, 2, x, y);
}
