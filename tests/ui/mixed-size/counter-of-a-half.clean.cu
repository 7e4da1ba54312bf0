//@ lens-ptx: clean
// Threads count in two bytes with libcu++'s atomic, which swaps the word around them; another block waits for all of them.
// Clean: it waits by the same atomic, which loads the two bytes alone.
#include "../support/check.h"
#include <cuda/atomic>

using Half = unsigned short;
using Counter = cuda::atomic_ref<Half, cuda::thread_scope_device>;

__global__ void count_and_wait(Half *memory, int *out) {
    Half *count = memory + 1;
    if (blockIdx.x == 0) {
        Counter(*count).fetch_add(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        while (Counter(*count).load(cuda::memory_order_acquire) != blockDim.x) {}
        *out = 1;
    }
}

int main() {
    int got, *out;
    Half *memory;
    CHECK(cudaMalloc(&memory, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(memory, 0, sizeof(int)));
    count_and_wait<<<2, 32>>>(memory, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 1;
}
