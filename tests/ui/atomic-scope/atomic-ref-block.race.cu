//@ lens-ptx: race
//@ class: atomic-scope
// The blocks look for the largest number with cuda::atomic_ref.
// The bug: thread_scope_block, although all blocks update one maximum. The clean twin
// says thread_scope_device.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void maximum(const int *in, int *best) {
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    cuda::atomic_ref<int, cuda::thread_scope_block> shared_best(*best);
    shared_best.fetch_max(value, cuda::memory_order_relaxed); //~ RACE(1) RACE(1)
}

int main() {
    const int blocks = 3, threads = 64, n = blocks * threads;
    int host[n], got, *in, *best;
    for (int i = 0; i < n; ++i) host[i] = i * 37 % 199;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&best, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(best, 0, sizeof(int)));
    maximum<<<blocks, threads>>>(in, best);
    CHECK(cudaMemcpy(&got, best, sizeof got, cudaMemcpyDeviceToHost));
    int want = 0;
    for (int v : host) want = v > want ? v : want;
    std::printf("%d, expected %d\n", got, want);
    return got != want;
}
//@ engine-guard: race
