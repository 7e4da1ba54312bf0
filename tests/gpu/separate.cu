// The kernels of parts.py's program of two files: a function of separate_function.cu reads what other threads have written.
#include <cstdio>
#include <cstring>

__device__ int rotated(const int *scratch, int by);

__global__ void racy(int *data) {
    __shared__ int scratch[256];
    scratch[threadIdx.x] = threadIdx.x; // LINE(write)
    data[blockIdx.x * 256 + threadIdx.x] = rotated(scratch, 33);
}

__global__ void clean(int *data) {
    __shared__ int scratch[256];
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    data[blockIdx.x * 256 + threadIdx.x] = rotated(scratch, 33);
}

int main(int argc, char **argv) {
    int *d;
    cudaMalloc(&d, 4096 * sizeof(int));
    if (argc > 1 && !strcmp(argv[1], "racy")) racy<<<4, 256>>>(d);
    else clean<<<4, 256>>>(d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
