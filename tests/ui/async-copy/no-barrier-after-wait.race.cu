//@ lens-ptx: race
// A block stages a tile with asynchronous copies and reads it mirrored.
// The bug: waiting covers a thread's own copies only; those of the other threads need
// a barrier too. The clean twin has both.
#include "../support/check.h"
#include <cuda_pipeline.h>

constexpr int TILE = 64;

__global__ void mirror(const int *in, int *out) {
    __shared__ int tile[TILE];
    int t = threadIdx.x, first = blockIdx.x * TILE;
    __pipeline_memcpy_async(&tile[t], &in[first + t], sizeof(int)); //~ RACE(1)
    __pipeline_commit();
    __pipeline_wait_prior(0);
    int mirrored = tile[TILE - 1 - t]; //~ RACE(1)
    out[first + t] = mirrored;
}

int main() {
    const int n = 3 * TILE;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<n / TILE, TILE>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
