// A block reverses its part without a barrier: the two lines of the race are marked.

#include <cstdio>

__global__ void reverse(const int *in, int *out) {
    __shared__ int part[64];
    part[threadIdx.x] = in[threadIdx.x]; // side 1
    out[threadIdx.x] = part[63 - threadIdx.x]; // side 2
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(in, out);
    bool fine = cudaDeviceSynchronize() == cudaSuccess;
    std::printf("%s\n", fine ? "passed" : "failed");
    return fine ? 0 : 1;
}
