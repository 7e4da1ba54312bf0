//@ lens-ptx: clean
// Every block adds its sum to a counter.
// Clean: the counters are per block, so block scope is enough.
#include "../support/check.h"

__global__ void count_even(const int *in, int *counter) {
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value % 2 == 0)
        atomicAdd_block(&counter[blockIdx.x], 1);
}

int main() {
    const int blocks = 4, threads = 64, n = blocks * threads;
    int host[n], got[blocks], *in, *counter, total = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&counter, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counter, 0, sizeof got));
    count_even<<<blocks, threads>>>(in, counter);
    CHECK(cudaMemcpy(got, counter, sizeof got, cudaMemcpyDeviceToHost));
    for (int c : got) total += c;
    std::printf("%d even\n", total);
    return total != n / 2;
}

//@ engine-guard: unseen
