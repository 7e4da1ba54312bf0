// Kernels that driver.c loads as PTX.

__device__ int factor = 3;
__managed__ int shared_with_host = 11;

extern "C" __global__ void scale(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

extern "C" __global__ void reverse(const int *in, int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void unordered(int *data) {
    data[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
}
