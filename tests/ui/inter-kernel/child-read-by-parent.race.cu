//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -arch=sm_90 -rdc=true
//@ exit: 1
// A kernel reads what the kernel that it launched has computed.
// The bug: it reads it itself, and cannot wait. The clean twin launches the reader into the tail
// stream, which begins when the launching kernel and its other children are complete.
#include "../support/check.h"

constexpr int N = 64;

__global__ void twice(int *data) {
    data[threadIdx.x] = 2 * threadIdx.x; //~ RACE(1)
}

__device__ void keep(const int *data, int *out) {
    for (int i = 0; i < N; ++i) out[i] = data[i]; //~ RACE(1)
}

__global__ void reader(const int *data, int *out) { keep(data, out); }

__global__ void parent(int *data, int *out) {
    twice<<<1, N>>>(data);
    keep(data, out);
}

int main() {
    int got[N], *data, *out, wrong = 0;
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    parent<<<1, 1>>>(data, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
