//@ lens-ptx: clean
// A word of flags that one block sets by whole words, and another by bytes, both with libcu++'s atomics.
// The bug: atomics of different sizes are not atomic towards each other, whatever their scopes. In the clean twin
// both are of whole words.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void set(unsigned *word) {
    if (blockIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*word).store(1, cuda::memory_order_relaxed);
    } else {
        unsigned *half = word;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*half).store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    unsigned got, *word;
    CHECK(cudaMalloc(&word, sizeof *word));
    CHECK(cudaMemset(word, 0, sizeof *word));
    set<<<2, 1>>>(word);
    CHECK(cudaMemcpy(&got, word, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%u\n", got);
    return got != 1;
}
