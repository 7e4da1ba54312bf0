// Every third of 32 Mi numbers is kept, in any order: ballots and one atomic a warp, five times.
#include "../timed.h"

__global__ void keep(const unsigned *in, unsigned *out, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned v = in[i], kept = __ballot_sync(~0u, v % 3 == 0), base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(~0u, base, 0);
    if (v % 3 == 0) out[(base + __popc(kept & ((1u << lane) - 1))) % n] = v;
}

__global__ void fill(unsigned *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) in[i] = i;
}

int main() {
    const int n = 32 << 20;
    unsigned *in, *out, *count;
    cudaMalloc(&in, sizeof *in * n);
    cudaMalloc(&out, sizeof *out * n);
    cudaMalloc(&count, sizeof *count);
    cudaMemset(count, 0, sizeof *count);
    fill<<<1024, 256>>>(in, n);
    keep<<<n / 256, 256>>>(in, out, count, n);
    Timed timed;
    for (int i = 0; i < 5; i++) {
        cudaMemsetAsync(count, 0, sizeof *count);
        keep<<<n / 256, 256>>>(in, out, count, n);
    }
}
