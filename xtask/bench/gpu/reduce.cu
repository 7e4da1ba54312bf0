// A sum of 64 Mi floats, ten times: grid-stride loads, shared memory, one atomic a block.
#include "../timed.h"

__global__ void sum(const float *in, int n, float *out) {
    __shared__ float part[256];
    float s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += in[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

int main() {
    const int n = 64 << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(in, 0, n * sizeof *in);
    sum<<<1024, 256>>>(in, n, out);
    Timed timed;
    for (int i = 0; i < 10; i++) sum<<<1024, 256>>>(in, n, out);
}
