//@ lens-ptx: clean
//@ run: --check sync,init
//@ arch: 80
// A tile is filled by asynchronous copies, a counter by one thread, a flag by an exchange.
// Clean: all of them are written before they are read.
#include "../support/check.h"
#include <cuda_pipeline.h>

__global__ void fill(const int *in, int *out) {
    __shared__ int tile[64];
    __shared__ int count, flag;
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
    __pipeline_commit();
    if (t == 0) {
        count = 0;
        flag = 1;
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    atomicAdd(&count, flag);
    __syncthreads();
    out[t] = tile[63 - t] + count;
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    fill<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != (host[63 - i] + 64);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
