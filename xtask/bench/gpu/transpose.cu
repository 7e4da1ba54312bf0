// 8192 x 8192 floats by tiles of 32 x 32, ten times.
#include "../timed.h"

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[size_t(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int n = 8192;
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * n * n);
    cudaMalloc(&out, sizeof(float) * n * n);
    cudaMemset(in, 0, sizeof(float) * n * n);
    dim3 grid(n / 32, n / 32), block(32, 8);
    transpose<<<grid, block>>>(in, out, n);
    Timed timed;
    for (int i = 0; i < 10; i++) transpose<<<grid, block>>>(in, out, n);
}
