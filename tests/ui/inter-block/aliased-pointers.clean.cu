//@ lens-ptx: clean
// Every block copies its segment from the block after it.
// Clean: the same kernel as its racy twin, called with two different arrays.
#include "../support/check.h"

constexpr int SEGMENT = 32;

__global__ void shift(const int *from, int *to, int n) {
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    int value = from[(i + SEGMENT) % n];
    to[i] = value;
}

int main() {
    const int n = 4 * SEGMENT;
    int host[n], got[n], *a, *b, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    shift<<<n / SEGMENT, SEGMENT>>>(a, b, n);
    CHECK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i + SEGMENT) % n;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
