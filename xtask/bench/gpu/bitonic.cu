// Blocks of 1024 keys sorted in shared memory, 8 Mi keys, five times.
#include "../timed.h"

__global__ void sort(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned *own = keys + blockIdx.x * 1024;
    s[threadIdx.x] = own[threadIdx.x];
    s[threadIdx.x + 512] = own[threadIdx.x + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (i & size) == 0;
            unsigned a = s[i], b = s[i + stride];
            if ((a > b) == up) {
                s[i] = b;
                s[i + stride] = a;
            }
        }
    __syncthreads();
    own[threadIdx.x] = s[threadIdx.x];
    own[threadIdx.x + 512] = s[threadIdx.x + 512];
}

__global__ void fill(unsigned *keys, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) keys[i] = i * 2654435761u;
}

int main() {
    const int n = 8 << 20;
    unsigned *keys;
    cudaMalloc(&keys, sizeof *keys * n);
    fill<<<1024, 256>>>(keys, n);
    sort<<<n / 1024, 512>>>(keys);
    Timed timed;
    for (int i = 0; i < 5; i++) sort<<<n / 1024, 512>>>(keys);
}
