//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// The host prepares the next input in managed memory.
// The bug: it does so while the kernel may still read the last input. The clean twin
// waits for the kernel first.
#include "../support/check.h"

constexpr int N = 32;

__global__ void weigh(const int *input, int *out) {
    int value = input[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = 3 * value;
}

int main() {
    int got[N], *input, *out, wrong = 0;
    CHECK(cudaMallocManaged(&input, N * sizeof(int)));
    CHECK(cudaMalloc(&out, N * sizeof(int)));
    for (int i = 0; i < N; ++i) input[i] = i;
    weigh<<<1, N>>>(input, out);
    input[0] = 1000; //~ RACE(1)
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 3 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    CHECK(cudaFree(input));
    return wrong != 0;
}
