//@ lens-ptx: race
//@ class: divergent-warp
// The lanes of a warp count in shared memory, and then each reads its counter.
// The bug: no __syncwarp() between. An atomic read would hide that, and read too early all the same.
// The clean twin has one.
#include "../support/check.h"

__global__ void count(const int *in, int *out) {
    __shared__ int counters[32];
    int lane = threadIdx.x;
    counters[lane] = 0;
    __syncwarp();
    atomicAdd(&counters[in[lane] % 4 * 8], 1); //~ RACE(1)
    int counted = counters[lane]; //~ RACE(1)
    out[lane] = counted;
}

int main() {
    int host[32], got[32], *in, *out;
    for (int i = 0; i < 32; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 32; ++i) wrong += got[i] != (i % 8 == 0 ? 8 : 0);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
