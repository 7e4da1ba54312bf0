// Kernels that are proved for all blocks, and must be for one: halving a number of threads that is known hides that it goes down to one.
extern __shared__ int dynamic[];

__device__ void halves(int *tile, int *sums, unsigned first) {
    unsigned t = threadIdx.x;
    tile[t] = sums[t];
    __syncthreads();
    for (unsigned s = first; s > 0; s >>= 1) {
        if (t < s) tile[t] += tile[t + s];
        __syncthreads();
    }
    if (!t) sums[0] = tile[0];
}

extern "C" __global__ void dynamic_clean(int *sums) { halves(dynamic, sums, blockDim.x / 2); }
extern "C" __global__ void fixed_clean(int *sums) {
    __shared__ int tile[256];
    halves(tile, sums, blockDim.x / 2);
}
// Started from a number, or with the second half of the threads left out, and without the barrier.
extern "C" __global__ void barrier_left_out_race(int *sums) {
    __shared__ int tile[256];
    unsigned t = threadIdx.x;
    tile[t] = sums[t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) tile[t] += tile[t + s];
    }
    if (!t) sums[0] = tile[0];
}
