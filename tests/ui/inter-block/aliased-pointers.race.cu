//@ lens-ptx: race
//@ class: inter-block
// Every block copies its segment from the block after it.
// The bug is in the host code: it passes one array as source and destination. The
// kernel of the clean twin is the same, its arrays differ.
#include "../support/check.h"

constexpr int SEGMENT = 32;

__global__ void shift(const int *from, int *to, int n) {
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    int value = from[(i + SEGMENT) % n]; //~ RACE(1)
    to[i] = value; //~ RACE(1)
}

int main() {
    const int n = 4 * SEGMENT;
    int host[n], got[n], *a, *b, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    shift<<<n / SEGMENT, SEGMENT>>>(a, a, n);
    CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i + SEGMENT) % n;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
