// Kernels of which numbers that nobody knows are in memory beside numbers that decide. `warprace prove -- nvcc … decided.cu` executes
// the host code; what `input` holds comes from a file. NAME_race races whatever that is; whether NAME_open does hangs on it.
// The program itself need not run.

#include <cstdio>

// A counter begins with a number that nobody knows: by a store, in shared memory, or because it was there before.
__global__ void counter_open(const int *input, int *counter, int *out) {
    if (threadIdx.x == 0) counter[0] = input[0];
    __syncthreads();
    if (atomicAdd(counter, 1) < 100) out[0] = threadIdx.x;
}
__global__ void shared_counter_open(const int *input, int *out) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = input[0];
    __syncthreads();
    if (atomicAdd(&counter, 1) < 100) out[0] = threadIdx.x;
}
__global__ void counted_open(int *counter, int *out) {
    if (threadIdx.x == 0) atomicAdd(counter, 1);
    __syncthreads();
    if (counter[0] < 100) out[0] = threadIdx.x;
}

// The last block adds up what all have: a flag in shared memory, beside sums of numbers that nobody knows.
__device__ unsigned int tickets, tickets_without;
template <bool FENCES> __device__ void sum(const float *input, float *sums) {
    __shared__ float part[64];
    __shared__ bool last;
    int t = threadIdx.x;
    part[t] = input[blockIdx.x * 64 + t];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) {
        sums[blockIdx.x] = part[0];
        if (FENCES) __threadfence();
        last = atomicInc(FENCES ? &tickets : &tickets_without, gridDim.x) == gridDim.x - 1;
        if (FENCES) __threadfence();
    }
    __syncthreads();
    if (last && t < gridDim.x) part[t] = sums[t];
}
__global__ void last_clean(const float *input, float *sums) { sum<true>(input, sums); }
__global__ void last_race(const float *input, float *sums) { sum<false>(input, sums); }

// A number that is stored beside one that nobody knows, and that one itself.
__global__ void beside_race(const int *input, int *numbers, int *out) {
    if (threadIdx.x == 0) numbers[1] = input[0], numbers[0] = 3;
    __syncthreads();
    if (numbers[0] == 3) out[0] = threadIdx.x;
}
__global__ void itself_open(const int *input, int *numbers, int *out) {
    if (threadIdx.x == 0) numbers[1] = input[0], numbers[0] = 3;
    __syncthreads();
    if (numbers[1] < 3) out[0] = threadIdx.x;
}

// A number goes to a place that nobody knows: it may be that of the other one.
__global__ void anywhere_open(const int *input, int *numbers, int *out) {
    if (threadIdx.x == 0) numbers[0] = 3, numbers[input[0] & 7] = 0;
    __syncthreads();
    if (numbers[1] == 0) out[0] = threadIdx.x;
}

int main() {
    int *input, *numbers, *out;
    int given[1024];
    FILE *file = fopen("input", "rb");
    if (!file || fread(given, sizeof(int), 1024, file) != 1024) return 1;
    cudaMalloc(&input, sizeof(given));
    cudaMalloc(&numbers, 64);
    cudaMalloc(&out, sizeof(given));
    cudaMemcpy(input, given, sizeof(given), cudaMemcpyHostToDevice);
    cudaMemcpy(numbers, given, 64, cudaMemcpyHostToDevice);
    counter_open<<<1, 64>>>(input, numbers, out);
    shared_counter_open<<<1, 64>>>(input, out);
    cudaMemcpy(numbers, given, 64, cudaMemcpyHostToDevice);
    counted_open<<<1, 64>>>(numbers, out);
    last_clean<<<16, 64>>>((float *)input, (float *)out);
    last_race<<<16, 64>>>((float *)input, (float *)out);
    beside_race<<<1, 64>>>(input, numbers, out);
    itself_open<<<1, 64>>>(input, numbers, out);
    anywhere_open<<<1, 64>>>(input, numbers, out);
    return cudaDeviceSynchronize();
}
