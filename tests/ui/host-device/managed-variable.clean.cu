//@ lens-ptx: clean
//@ nvcc: -g
// A kernel leaves its result in a __managed__ variable.
// Clean: the host waits for the kernel's stream.
#include "../support/check.h"

__managed__ int result;

__global__ void compute(int n) {
    int sum = __reduce_add_sync(~0u, static_cast<int>(threadIdx.x) * n);
    if (threadIdx.x == 0) result = sum;
}

int main() {
    cudaStream_t work, other;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    compute<<<1, 32, 0, work>>>(2);
    CHECK(cudaStreamSynchronize(work));
    int seen = result;
    std::printf("%d\n", seen);
    CHECK(cudaDeviceSynchronize());
    return seen != 2 * 31 * 16;
}
//@ arch: 80
