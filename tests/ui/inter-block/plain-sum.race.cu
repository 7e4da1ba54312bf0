//@ lens-ptx: race
//@ class: inter-block
// Every block adds its sum to a total.
// The bug: with a plain +=. The clean twin uses atomicAdd().
#include "../support/check.h"

__global__ void add_up(const int *in, int *total) {
    int sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0)
        *total += sum; //~ RACE(1) RACE(1)
}

int main() {
    const int n = 128;
    int host[n], got, *in, *total;
    for (int i = 0; i < n; ++i) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    add_up<<<n / 32, 32>>>(in, total);
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n);
    return got != n;
}
//@ arch: 80
//@ engine-guard: race
