//@ lens-ptx: clean
//@ nvcc: --extended-lambda -std=c++20
// A generic kernel that runs a device lambda for each thread, as portability layers do.
// Clean: the lambda has a barrier between its write and its read.
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
        scratch[t] = 4 * t;
        __syncthreads();
        int value = scratch[(t + 32) % n];
        out[t] = value;
    };
    for_each_thread<<<1, n, n * sizeof(int)>>>(rotate);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 4 * ((i + 32) % n);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
