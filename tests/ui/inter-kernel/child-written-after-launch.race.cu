//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -arch=sm_90 -rdc=true
// A thread stores the input of the kernel that it launches.
// The bug: it stores one element after the launch. The clean twin stores all before.
#include "../support/check.h"

constexpr int N = 64;

__global__ void twice(const int *data, int *out) {
    int number = data[threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = 2 * number;
}

__global__ void parent(int *data, int *out) {
    for (int i = 0; i < N - 1; ++i) data[i] = i;
    twice<<<1, N>>>(data, out);
    data[N - 1] = N - 1; //~ RACE(1)
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
