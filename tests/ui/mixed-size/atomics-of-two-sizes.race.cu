//@ lens-ptx: race
//@ class: mixed-size
// A word of flags that one block sets by whole words, and another by bytes, both with libcu++'s atomics.
// The bug: atomics of different sizes are not atomic towards each other, whatever their scopes. In the clean twin
// both are of whole words.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void set(unsigned *word) {
    if (blockIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*word).store(1, cuda::memory_order_relaxed); //~ RACE(1)
    } else {
        unsigned short *half = reinterpret_cast<unsigned short *>(word);
        cuda::atomic_ref<unsigned short, cuda::thread_scope_device>(*half).store(1, cuda::memory_order_relaxed); //~ RACE(1)
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
//@ engine-guard: race
