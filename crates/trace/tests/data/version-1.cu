// `version-1.trace` is a record of this program, made before traces told what launches were given. It has races.
#include <cstdio>
__device__ int total;
__global__ void sum(const int* in, int n, float scale) {
    __shared__ int part[32];
    part[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
    if (threadIdx.x == 0) {
        int s = 0;
        for (int i = 0; i < 32; i++) s += part[i];
        total = s * scale;
    }
}
__global__ void fill(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
int main() {
    int* a;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMemset(a, 0, 64 * sizeof(int));
    fill<<<2, 32, 0, s>>>(a, 7);
    sum<<<1, 32, 0, t>>>(a, 32, 2.0f);
    cudaDeviceSynchronize();
    int host[64];
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(a);
    return 0;
}
