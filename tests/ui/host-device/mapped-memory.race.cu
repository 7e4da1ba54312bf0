//@ lens-ptx: race
//@ class: host-device
//@ nvcc: -g
// A kernel writes into mapped host memory.
// The bug: the host reads right after the launch. The clean twin polls the stream until
// the kernel has finished.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *mapped) {
    mapped[threadIdx.x] = 100 + threadIdx.x; //~ RACE(1)
}

int main() {
    int *host, *mapped;
    cudaStream_t stream;
    CHECK(cudaHostAlloc(&host, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, N, 0, stream>>>(mapped);
    int last = host[N - 1]; //~ RACE(1)
    std::printf("%d\n", last);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(host));
    return last != 100 + N - 1;
}
