//@ lens-ptx: race
//@ class: atomic-scope
// Blocks count with the compiler's own atomic functions.
// The bug: the scope argument says block. The clean twin says device.
#include "../support/check.h"

__global__ void count_odd(const int *in, int *counter) {
    if (in[blockIdx.x * 32 + threadIdx.x] % 2)
        __nv_atomic_fetch_add(counter, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK); //~ RACE(1) RACE(1)
}

int main() {
    const int n = 96;
    int host[n], got, *in, *counter;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    count_odd<<<n / 32, 32>>>(in, counter);
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d odd\n", got);
    return got != n / 2;
}
