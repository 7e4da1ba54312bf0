//@ lens-ptx: race
//@ class: inter-block
// Each block scales a chunk of an array.
// The bug: the chunk's end is inclusive, so neighbours write one element both. The
// clean twin ends one earlier.
#include "../support/check.h"

constexpr int CHUNK = 40;

__global__ void triple(const int *in, int *out, int n) {
    int first = blockIdx.x * CHUNK;
    int last = min(first + CHUNK + 1, n);
    for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
        int value = in[i];
        out[i] = 3 * value; //~ RACE(1) RACE(1)
    }
}

int main() {
    const int n = 4 * CHUNK;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    triple<<<4, 32>>>(in, out, n);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 3 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
