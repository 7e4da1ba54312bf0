// Writes and adds up an array that takes so much memory, as iGUARD's Fig. 14 does with a reduction.
//
//     footprint GIB [FREE]     FREE: how many GiB of the GPU's memory are left for it, as on a smaller GPU; without it, all
//
// An array that is larger than what is free is managed memory.
#include <cstdio>
#include <cstdlib>

__global__ void fill(unsigned *out, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = i & 7;
}

__global__ void sum(const unsigned *in, size_t n, unsigned long long *total) {
    __shared__ unsigned long long partial[256];
    unsigned long long own = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) own += in[i];
    partial[threadIdx.x] = own;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}

static void must(cudaError_t error) {
    if (error != cudaSuccess) exit((fprintf(stderr, "%s\n", cudaGetErrorString(error)), 1));
}

int main(int count, char **words) {
    const size_t gib = size_t(1) << 30;
    size_t bytes = count > 1 ? size_t(atof(words[1]) * gib) : gib, left = 0, all;
    unsigned *data;
    unsigned long long *total, told = 0;
    void *ballast;
    must(cudaMalloc(&total, sizeof *total));
    must(cudaMemGetInfo(&left, &all));
    if (count > 2 && left > atof(words[2]) * gib) must(cudaMalloc(&ballast, left - size_t(atof(words[2]) * gib)));
    must(cudaMemGetInfo(&left, &all));
    must(bytes < left ? cudaMalloc(&data, bytes) : cudaMallocManaged(&data, bytes));
    size_t n = bytes / sizeof *data / 8 * 8;
    must(cudaMemset(total, 0, sizeof *total));
    fill<<<1056, 256>>>(data, n);
    sum<<<1056, 256>>>(data, n, total);
    must(cudaMemcpy(&told, total, sizeof told, cudaMemcpyDeviceToHost));
    printf("%zu MiB, %zu MiB were free: %llu\n", bytes >> 20, left >> 20, told);
    return told != n / 8 * 28;
}
