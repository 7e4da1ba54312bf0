// Loads through the read-only cache (`ld.global.nc`) of memory that the same kernel writes. No order puts such a load behind
// a write of its launch (PTX §8.1): a clean kernel loads ordinarily, or before anything writes.

__device__ int cached(const int *at) {
    int value;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

extern "C" __global__ void own_element_clean(int *data, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    data[t] = t;
    out[t] = *(volatile int *)(data + t);
}

extern "C" __global__ void own_element_race(int *data, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    data[t] = t;
    out[t] = cached(data + t);
}

extern "C" __global__ void behind_a_barrier_clean(int *data, int *out) {
    int start = blockIdx.x * blockDim.x, t = threadIdx.x;
    data[start + t] = t;
    __syncthreads();
    out[start + t] = data[start + blockDim.x - 1 - t];
}

extern "C" __global__ void behind_a_barrier_race(int *data, int *out) {
    int start = blockIdx.x * blockDim.x, t = threadIdx.x;
    data[start + t] = t;
    __syncthreads();
    out[start + t] = cached(data + start + blockDim.x - 1 - t);
}

extern "C" __global__ void before_a_barrier_clean(int *data) {
    int start = blockIdx.x * blockDim.x, t = threadIdx.x;
    int value = cached(data + start + blockDim.x - 1 - t);
    __syncthreads();
    data[start + t] = value;
}

// The second iteration loads what the first one has written.
extern "C" __global__ void before_a_barrier_race(int *data) {
    int start = blockIdx.x * blockDim.x, t = threadIdx.x;
    for (int turn = 0; turn < 2; ++turn) {
        int value = cached(data + start + blockDim.x - 1 - t);
        __syncthreads();
        data[start + t] = value;
        __syncthreads();
    }
}

extern "C" __global__ void other_half_clean(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) data[t] = cached(data + n + t);
}

extern "C" __global__ void other_half_race(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t <= n) data[t] = cached(data + n + t);
}
