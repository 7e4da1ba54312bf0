//@ lens-ptx: race
//@ class(1): missing-fence
// A ring of four slots between a producer block and a consumer block.
// The bug: the consumer gives a slot back without having its read ordered before, so
// the producer may overwrite a slot that is still being read. The clean twin releases.
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
            slots[i % SLOTS] = i * i; //~ RACE(1)
            written.store(i + 1, memory_order_release);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < items; ++i) {
            while (written.load(memory_order_acquire) <= i) {}
            int item = slots[i % SLOTS]; //~ RACE(1)
            sum += item;
            taken.store(i + 1, memory_order_relaxed);
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
