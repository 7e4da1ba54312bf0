// Forces of 16384 bodies on each other: arithmetic with few accesses.
#include "../timed.h"

__global__ void forces(const float4 *at, float3 *force, int n) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 own = at[i];
    float3 f = {0, 0, 0};
    for (int k = 0; k < n; k += 256) {
        tile[threadIdx.x] = at[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float w = tile[j].w * r * r * r;
            f.x += dx * w;
            f.y += dy * w;
            f.z += dz * w;
        }
        __syncthreads();
    }
    force[i] = f;
}

int main() {
    const int n = 16384;
    float4 *at;
    float3 *force;
    cudaMalloc(&at, n * sizeof *at);
    cudaMalloc(&force, n * sizeof *force);
    cudaMemset(at, 0, n * sizeof *at);
    forces<<<n / 256, 256>>>(at, force, n);
    Timed timed;
    for (int i = 0; i < 10; i++) forces<<<n / 256, 256>>>(at, force, n);
}
