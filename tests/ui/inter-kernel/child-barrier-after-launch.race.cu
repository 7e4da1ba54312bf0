//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -arch=sm_90 -rdc=true
//@ exit: 1
//@ advice: what is done later cannot be done before the launch
// The threads of a block use an array again after one of them has launched a kernel that reads it.
// The bug: they take the barrier behind the launch for a wait. The clean twin leaves the reuse to a
// kernel in the stream of the first.
#include "../support/check.h"

constexpr int N = 64;

__global__ void twice(const int *data, int *out) {
    int number = data[threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = 2 * number;
}

__device__ void clear(int *data) {
    data[threadIdx.x] = 0; //~ RACE(1)
}

__global__ void cleared(int *data) { clear(data); }

__global__ void parent(int *data, int *out) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) twice<<<1, N>>>(data, out);
    __syncthreads();
    clear(data);
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
