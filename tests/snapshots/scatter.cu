// Where each thread writes is in memory that an earlier kernel has filled: without the memory of its launch nobody can
// tell whether two threads meet. With the argument `apart` none do.
#include <cstdio>
#include <cstring>

__device__ int shift;

__global__ void fill(int *to, int apart) {
    int i = threadIdx.x;
    to[i] = apart || i != 70 ? i : 5;
    if (i == 0) shift = 3;
}

__global__ void scatter(const int *to, int *out) {
    out[to[threadIdx.x] + shift] = threadIdx.x;
}

int main(int argc, char **argv) {
    int *to, *out;
    cudaMalloc(&to, 128 * sizeof *to);
    cudaMalloc(&out, 4096 * sizeof *out);
    cudaMemset(out, 0, 4096 * sizeof *out);
    fill<<<1, 128>>>(to, argc > 1 && !strcmp(argv[1], "apart"));
    scatter<<<1, 128>>>(to, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
