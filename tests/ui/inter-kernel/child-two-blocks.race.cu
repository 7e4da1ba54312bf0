//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -arch=sm_90 -rdc=true
//@ advice: the second launch is too much
// Two blocks launch the same kernel into their NULL streams, of which each block has one.
// The bug: nothing orders the two. The clean twin launches one.
#include "../support/check.h"

constexpr int N = 64;

__global__ void twice(int *out) {
    out[threadIdx.x] = 2 * threadIdx.x; //~ RACE(1) RACE(1)
}

__global__ void parent(int *out) {
    twice<<<1, N>>>(out);
}

int main() {
    int got[N], *data, *out, wrong = 0;
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    parent<<<2, 1>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
