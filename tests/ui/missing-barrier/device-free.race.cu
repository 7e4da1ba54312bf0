//@ lens-ptx: race
//@ class: missing-barrier
// A thread frees memory of the device's heap.
// The bug: another thread of the block may still read it. The clean twin has __syncthreads() before. Engine guard does not see
// what free() does.
#include "../support/check.h"

constexpr int N = 1;

__global__ void borrow(int *out) {
    __shared__ int *block;
    if (threadIdx.x == 0) {
        block = static_cast<int *>(malloc(64));
        block[0] = 7;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = block[0]; //~ RACE(1)
    if (threadIdx.x == 32) free(block); //~ RACE(1)
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    borrow<<<1, 64>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 7;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: unseen
