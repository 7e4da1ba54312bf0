//@ lens-ptx: race
// A sequence lock: the writer makes the version odd, writes two words, makes it even;
// the reader retries until it saw one even version before and after its reads.
// The bug: the words are plain. A reader that was too early retries, but its read was a
// data race all the same. In the clean twin the words are relaxed atomics.
#include "../support/check.h"
#include <cuda/atomic>

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

__device__ void fence(cuda::memory_order order) {
    cuda::atomic_thread_fence(order, cuda::thread_scope_device);
}

__global__ void seqlock(int *version, int *reading, int *word, int *out) {
    if (blockIdx.x == 0) {
        // Writes only once the reader is under way, so that they do meet.
        while (Word(*reading).load(memory_order_relaxed) == 0) {}
        Word(*version).store(1, memory_order_relaxed);
        fence(memory_order_release);
        *word = 6; //~ RACE(1)
        Word(*version).store(2, memory_order_release);
    } else {
        int before, after, value;
        do {
            before = Word(*version).load(memory_order_acquire);
            Word(*reading).store(1, memory_order_relaxed);
            value = *word; //~ RACE(1)
            fence(memory_order_acquire);
            after = Word(*version).load(memory_order_relaxed);
        } while (before != after || before != 2);
        *out = value;
    }
}

int main() {
    int got, *memory; // version, reading, word, out
    CHECK(cudaMalloc(&memory, 4 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 4 * sizeof(int)));
    seqlock<<<2, 1>>>(memory, memory + 1, memory + 2, memory + 3);
    CHECK(cudaMemcpy(&got, memory + 3, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 6;
}
//@ engine-guard: race
//@ engine-collide: race
