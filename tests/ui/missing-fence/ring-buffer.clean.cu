//@ lens-ptx: clean
// A ring of four slots between a producer block and a consumer block.
// Clean: both positions are stored with release and loaded with acquire.
#include "../support/check.h"
#include <cuda/atomic>

constexpr int SLOTS = 4;

using Position = cuda::atomic_ref<int, cuda::thread_scope_device>;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

__global__ void transport(int *slots, int *head, int *tail, int *out, int items) {
    Position written(*head), taken(*tail);
    if (blockIdx.x == 0) {
        for (int i = 0; i < items; ++i) {
            while (i - taken.load(memory_order_acquire) >= SLOTS) {}
            slots[i % SLOTS] = i * i;
            written.store(i + 1, memory_order_release);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < items; ++i) {
            while (written.load(memory_order_acquire) <= i) {}
            int item = slots[i % SLOTS];
            sum += item;
            taken.store(i + 1, memory_order_release);
        }
        *out = sum;
    }
}

int main() {
    const int items = 12;
    int got, *memory, want = 0; // slots, head, tail, out
    for (int i = 0; i < items; ++i) want += i * i;
    CHECK(cudaMalloc(&memory, (SLOTS + 3) * sizeof(int)));
    CHECK(cudaMemset(memory, 0, (SLOTS + 3) * sizeof(int)));
    transport<<<2, 1>>>(memory, memory + SLOTS, memory + SLOTS + 1, memory + SLOTS + 2, items);
    CHECK(cudaMemcpy(&got, memory + SLOTS + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d, expected %d\n", got, want);
    return got != want;
}
