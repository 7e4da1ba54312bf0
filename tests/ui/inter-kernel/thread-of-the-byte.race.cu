//@ lens-ptx: race
//@ class: inter-kernel
// A kernel fills an array, another one reads element 1500 of it, in a stream that waits for nothing.
// The report shows the thread that wrote this very element, not the first one of the kernel. In the clean twin both
// are in one stream.
#include "../support/check.h"

__global__ void fill(int *data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; //~ RACE(1)
}

__global__ void look(const int *data, int *out) {
    if (threadIdx.x == 7) *out = data[1500]; //~ RACE(1)
}

int main() {
    int got, *data, *out;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&data, 2048 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    fill<<<8, 256, 0, first>>>(data);
    look<<<1, 32, 0, second>>>(data, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 1500 % 256;
}
//@ engine-guard: race
