//@ lens-ptx: clean
// One block leaves a message and raises a flag of one byte for another, which libcu++ stores by swapping the word around it and
// loads as a half.
// Clean: the store releases, and the load acquires.
#include "../support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<bool, cuda::thread_scope_device>;

__global__ void send_and_receive(int *message, bool *raised, int *out) {
    Flag flag(*raised);
    if (blockIdx.x == 0) {
        *message = 42;
        flag.store(true, cuda::memory_order_release);
    } else {
        while (!flag.load(cuda::memory_order_acquire)) {}
        *out = *message;
    }
}

int main() {
    int got, *memory; // message, flag, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    send_and_receive<<<2, 1>>>(memory, reinterpret_cast<bool *>(memory + 1) + 2, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 42;
}
//@ lens-scord: clean
//@ lens-hb: clean
//@ lens-gwcp: clean
