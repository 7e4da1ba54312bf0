// Sums an array in one kernel: every block sums its part, and the block that finishes last adds up
// the parts. It passes its own test, here and on most GPUs on most days.
//
//   nvcc -lineinfo examples/last_block_sum.cu -o last_block_sum
//   warprace run -- ./last_block_sum

#include <cstdio>
#include <vector>

constexpr int THREADS = 256;

__device__ unsigned blocksDone = 0;

// The sum of `value` over the block, in thread 0.
__device__ float blockSum(float value) {
    __shared__ float warpSums[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0)
        warpSums[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < THREADS / 32 ? warpSums[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset);
    __syncthreads();
    return value;
}

__global__ void sum(const float *in, int n, float *partial, float *out) {
    __shared__ bool last;

    float value = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    value = blockSum(value);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        // Nothing keeps this ticket behind the store above.
        unsigned ticket = atomicAdd(&blocksDone, 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();

    if (last) {
        value = 0.0f;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            value += partial[i];
        value = blockSum(value);
        if (threadIdx.x == 0)
            *out = value;
    }
}

int main() {
    const int n = 1 << 18, blocks = 64;
    std::vector<float> host(n);
    double expected = 0;
    for (int i = 0; i < n; i++)
        expected += host[i] = i % 17;

    float *in, *partial, *out, result = 0;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&partial, blocks * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    sum<<<blocks, THREADS>>>(in, n, partial, out);
    cudaError_t error = cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(error));
        return 1;
    }

    printf("sum = %.0f, expected %.0f: %s\n", result, expected, result == expected ? "passed" : "FAILED");
    return result == expected ? 0 : 1;
}
