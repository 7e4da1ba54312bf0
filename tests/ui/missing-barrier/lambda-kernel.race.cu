//@ lens-ptx: race
//@ class: missing-barrier
//@ nvcc: --extended-lambda -std=c++20
// A generic kernel that runs a device lambda for each thread, as portability layers do.
// The bug is in the lambda: no barrier between its write and its read. The clean twin
// has one.
#include "../support/check.h"

template <class Body>
__global__ void for_each_thread(Body body) {
    extern __shared__ int scratch[];
    body(scratch, static_cast<int>(threadIdx.x));
}

int main() {
    const int n = 64;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    auto rotate = [=] __device__(int *scratch, int t) {
        scratch[t] = 4 * t; //~ RACE(1)
        int value = scratch[(t + 32) % n]; //~ RACE(1)
        out[t] = value;
    };
    for_each_thread<<<1, n, n * sizeof(int)>>>(rotate);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 4 * ((i + 32) % n);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
