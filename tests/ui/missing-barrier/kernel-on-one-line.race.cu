//@ lens-ptx: race
//@ class: missing-barrier
// A kernel written on one line: nvcc then has one position for all of it, and the report underlines the whole body.
// The bug: no barrier between store and load. The clean twin has one.
#include "../support/check.h"

// clang-format off
__global__ void reverse(int *a, int *b) { __shared__ int s[64]; int t = threadIdx.x; s[t] = a[t]; b[t] = s[63 - t]; } //~ RACE(1) RACE(1)

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != 63 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
