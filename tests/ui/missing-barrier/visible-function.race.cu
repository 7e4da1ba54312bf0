//@ lens-ptx: race
//@ class: missing-barrier
//@ nvcc: -rdc=true
// The kernel calls a function that other files may call, too, as programs of several files do.
// The bug: no barrier between the kernel's write and the function's read. The clean twin has one.
#include "../support/check.h"

constexpr int N = 64;

__device__ __noinline__ int rotated(const int *scratch, int by) {
    return scratch[(threadIdx.x + by) % N]; //~ RACE(1)
}

__global__ void rotate(int *out) {
    __shared__ int scratch[N];
    scratch[threadIdx.x] = 4 * threadIdx.x; //~ RACE(1)
    out[threadIdx.x] = rotated(scratch, 32);
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    rotate<<<1, N>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 4 * ((i + 32) % N);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: unseen
