//@ lens-ptx: race
//@ class: inter-block
// A grid-stride loop over an array.
// The bug: the stride is that of a block, so blocks do elements of their neighbours again.
// The clean twin strides by the whole grid.
#include "../support/check.h"

__global__ void scale(const int *in, int *out, int n) {
    int stride = blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int value = in[i];
        out[i] = 2 * value; //~ RACE(1) RACE(1)
    }
}

int main() {
    const int n = 256;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    scale<<<3, 32>>>(in, out, n);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
