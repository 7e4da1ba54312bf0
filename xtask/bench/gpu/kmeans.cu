// 4 Mi points of 4 numbers and 32 centres: the nearest one, and sums by atomics in shared memory, five times.
#include "../timed.h"

__global__ void assign(const float4 *points, const float4 *centres, int *nearest, float *sums, int n) {
    __shared__ float own[32 * 5];
    for (int i = threadIdx.x; i < 160; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = points[i];
        float least = 1e30f;
        int best = 0;
        for (int c = 0; c < 32; c++) {
            float4 q = centres[c];
            float d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z) + (p.w - q.w) * (p.w - q.w);
            if (d < least) {
                least = d;
                best = c;
            }
        }
        nearest[i] = best;
        atomicAdd(&own[best * 5], p.x);
        atomicAdd(&own[best * 5 + 4], 1.f);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 160; i += blockDim.x) atomicAdd(&sums[i], own[i]);
}

__global__ void fill(float4 *points, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned r = i * 2654435761u;
        points[i] = make_float4(r % 97, r / 97 % 89, r / 8633 % 83, i % 79);
    }
}

int main() {
    const int n = 4 << 20;
    float4 *points, *centres;
    int *nearest;
    float *sums;
    cudaMalloc(&points, sizeof *points * n);
    cudaMalloc(&centres, sizeof *centres * 32);
    cudaMalloc(&nearest, sizeof *nearest * n);
    cudaMalloc(&sums, sizeof *sums * 160);
    fill<<<1024, 256>>>(points, n);
    fill<<<1, 32>>>(centres, 32);
    assign<<<1056, 256>>>(points, centres, nearest, sums, n);
    Timed timed;
    for (int i = 0; i < 5; i++) assign<<<1056, 256>>>(points, centres, nearest, sums, n);
}
