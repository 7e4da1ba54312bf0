// Prefix sums within blocks of 1024 of 64 Mi integers, by shuffles and shared memory.
#include "../timed.h"

__global__ void scan(const int *in, int *out) {
    __shared__ int sums[32];
    size_t i = size_t(blockIdx.x) * 1024 + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = sums[lane];
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(~0u, s, d);
            if (lane >= d) s += other;
        }
        __syncwarp();
        sums[lane] = s;
    }
    __syncthreads();
    out[i] = v + (warp ? sums[warp - 1] : 0);
}

int main() {
    const int n = 64 << 20;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(in, 0, n * sizeof *in);
    scan<<<n / 1024, 1024>>>(in, out);
    Timed timed;
    for (int i = 0; i < 10; i++) scan<<<n / 1024, 1024>>>(in, out);
}
