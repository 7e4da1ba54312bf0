//@ lens-ptx: clean
// A grid-stride loop over an array.
// Clean: the stride is the number of threads of the grid.
#include "../support/check.h"

__global__ void scale(const int *in, int *out, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int value = in[i];
        out[i] = 2 * value;
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
