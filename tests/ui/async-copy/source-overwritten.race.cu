//@ lens-ptx: race
//@ class: async-copy
// Threads take their numbers out of a mailbox in global memory and clear it.
// The bug: the mailbox is cleared while the asynchronous copy may still read it. The
// clean twin clears it after waiting.
#include "../support/check.h"
#include <cuda_pipeline.h>

__global__ void take(int *mailbox, int *out) {
    __shared__ int taken[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    __pipeline_memcpy_async(&taken[t], &mailbox[i], sizeof(int)); //~ RACE(1)
    __pipeline_commit();
    mailbox[i] = 0; //~ RACE(1)
    __pipeline_wait_prior(0);
    out[i] = taken[t];
}

int main() {
    const int n = 64;
    int host[n], got[n], *mailbox, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i + 1;
    CHECK(cudaMalloc(&mailbox, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(mailbox, host, sizeof host, cudaMemcpyHostToDevice));
    take<<<n / 32, 32>>>(mailbox, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
