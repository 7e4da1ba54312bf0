//@ lens-ptx: clean
// A block fills an array and another block sums it up after a flag.
// Clean: both fences have device scope, and barriers carry the order to all threads.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill_and_sum(int *data, volatile int *ready, int *sum) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            *ready = 1;
        }
    } else {
        if (t == 0) {
            while (*ready == 0) {}
            __threadfence();
        }
        __syncthreads();
        int value = data[N - 1 - t];
        atomicAdd(sum, value);
    }
}

int main() {
    int got, *memory; // data, ready, sum
    CHECK(cudaMalloc(&memory, (N + 2) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (N + 2) * sizeof(int)));
    fill_and_sum<<<2, N>>>(memory, memory + N, memory + N + 1);
    CHECK(cudaMemcpy(&got, memory + N + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != N * (N - 1) / 2;
}
