//@ lens-ptx: race
//@ class: missing-barrier
// A block passes intermediate results through scratch space in global memory.
// The bug: global memory needs a barrier between warps as shared memory does. The clean
// twin has __syncthreads().
#include "../support/check.h"

__global__ void mirror(const int *in, int *scratch, int *out) {
    int t = threadIdx.x, first = blockIdx.x * 64;
    scratch[first + t] = in[first + t] + 1; //~ RACE(1)
    int mirrored = scratch[first + 63 - t]; //~ RACE(1)
    out[first + t] = mirrored;
}

int main() {
    const int n = 192;
    int host[n], got[n], *in, *scratch, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&scratch, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<n / 64, 64>>>(in, scratch, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 64 * 64 + 63 - i % 64 + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
