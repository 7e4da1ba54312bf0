// Kernels behind functions of C, for Python's ctypes.

__global__ void racy(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void ordered(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

static int run(void (*kernel)(int *)) {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    kernel<<<1, 64>>>(out);
    int error = cudaDeviceSynchronize();
    cudaFree(out);
    return error;
}

extern "C" int run_racy() { return run(racy); }
extern "C" int run_ordered() { return run(ordered); }
