//@ lens-ptx: clean
//@ nvcc: -arch=sm_90 -rdc=true
// The threads of a block store the input of a kernel that one of them launches.
// The bug: no barrier in front of the launch. The clean twin has one.
#include "../support/check.h"

constexpr int N = 64;

__global__ void twice(const int *data, int *out) {
    int number = data[threadIdx.x];
    out[threadIdx.x] = 2 * number;
}

__global__ void parent(int *data, int *out) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) twice<<<1, N>>>(data, out);
}

int main() {
    int got[N], *data, *out, wrong = 0;
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    parent<<<1, N>>>(data, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
