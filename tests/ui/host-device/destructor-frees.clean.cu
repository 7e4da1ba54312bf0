//@ lens-ptx: clean
// A global object frees its memory in its destructor, which runs after the thread's own objects have been destroyed.
#include "../support/check.h"

__global__ void count(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

struct Buffer {
    int *data = nullptr;
    ~Buffer() {
        if (!data) return;
        count<<<2, 64>>>(data);
        if (cudaDeviceSynchronize() != cudaSuccess || cudaFree(data) != cudaSuccess) std::printf("not freed\n");
    }
};

Buffer buffer;

int main() {
    CHECK(cudaMalloc(&buffer.data, 128 * sizeof(int)));
    CHECK(cudaMemset(buffer.data, 0, 128 * sizeof(int)));
    count<<<2, 64>>>(buffer.data);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
