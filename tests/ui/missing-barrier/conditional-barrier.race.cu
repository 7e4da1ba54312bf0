//@ lens-ptx: race
//@ class: missing-barrier
// A barrier that small blocks skip, because one warp was believed to need none.
// The bug: the limit is 64 threads, which is two warps. The clean twin skips the
// barrier only for a block of one warp, where each thread reads its own slot anyway.
#include "../support/check.h"

__global__ void rotate_by_warp(const int *in, int *out) {
    extern __shared__ int slot[];
    int t = threadIdx.x, n = blockDim.x;
    slot[t] = in[blockIdx.x * n + t]; //~ RACE(1)
    if (n > 64) __syncthreads();
    int rotated = slot[(t + 32) % n]; //~ RACE(1)
    out[blockIdx.x * n + t] = rotated;
}

int main() {
    const int n = 128;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    for (int size : {32, 64, 128}) {
        rotate_by_warp<<<n / size, size, size * sizeof(int)>>>(in, out);
        CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) wrong += got[i] != i / size * size + (i + 32) % size;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
