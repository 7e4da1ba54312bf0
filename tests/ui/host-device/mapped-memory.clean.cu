//@ lens-ptx: clean
//@ nvcc: -g
// A kernel writes into mapped host memory.
// Clean: the host polls until the kernel has finished.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *mapped) {
    mapped[threadIdx.x] = 100 + threadIdx.x;
}

int main() {
    int *host, *mapped;
    cudaStream_t stream;
    CHECK(cudaHostAlloc(&host, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, N, 0, stream>>>(mapped);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
    int last = host[N - 1];
    std::printf("%d\n", last);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(host));
    return last != 100 + N - 1;
}
