//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// A kernel leaves its result in a __managed__ variable.
// The bug: the host waits for another stream than the kernel's. The clean twin waits for
// the right one.
#include "../support/check.h"

__managed__ int result;

__global__ void compute(int n) {
    int sum = __reduce_add_sync(~0u, static_cast<int>(threadIdx.x) * n);
    if (threadIdx.x == 0) result = sum; //~ RACE(1)
}

int main() {
    cudaStream_t work, other;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    compute<<<1, 32, 0, work>>>(2);
    CHECK(cudaStreamSynchronize(other));
    int seen = result; //~ RACE(1)
    std::printf("%d\n", seen);
    CHECK(cudaDeviceSynchronize());
    return seen != 2 * 31 * 16;
}
//@ arch: 80
