//@ lens-ptx: hazard
//@ class: uninitialized-read
//@ run: --check init
//@ exit: 1
// A block reverses its numbers in shared memory.
// The hazard: only half of the threads write, all of them read. In the clean twin all write.
#include "../support/check.h"

__global__ void reverse(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t < 32)
        tile[t] = in[t];
    __syncthreads();
    out[t] = tile[63 - t]; //~ HAZARD(1) HAZARD(1)
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != (host[63 - i]);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
