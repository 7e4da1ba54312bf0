// Tiles brought to shared memory by cp.async, two in flight, and summed, 64 Mi floats, five times.
#include "../timed.h"
#include <cuda_pipeline.h>

__global__ void sum(const float4 *in, float *out, int tiles) {
    __shared__ float4 tile[2][256];
    float s = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], 16);
    __pipeline_commit();
    for (int t = blockIdx.x, turn = 0; t < tiles; t += gridDim.x, turn = 1 - turn) {
        int next = t + gridDim.x;
        if (next < tiles) __pipeline_memcpy_async(&tile[1 - turn][threadIdx.x], &in[next * 256 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = tile[turn][threadIdx.x ^ 1];
        s += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = s;
}

int main() {
    const int n = 16 << 20;
    float4 *in;
    float *out;
    cudaMalloc(&in, sizeof *in * n);
    cudaMalloc(&out, sizeof *out * 1056 * 256);
    cudaMemset(in, 0, sizeof *in * n);
    sum<<<1056, 256>>>(in, out, n / 256);
    Timed timed;
    for (int i = 0; i < 5; i++) sum<<<1056, 256>>>(in, out, n / 256);
}
