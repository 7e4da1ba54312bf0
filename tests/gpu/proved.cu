// 200 launches of a kernel of which `prove` knows that each is free of races, in one stream:
// `warprace run --gpu --engine guard -- ./proved` says `clean (proved)`, with `--no-prune` that no race was seen.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *out, const float *in, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = by * in[i];
}

int main() {
    const int n = 1 << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    for (int k = 0; k < 200; ++k) scale<<<(n + 255) / 256, 256>>>(out, in, 2, n);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
