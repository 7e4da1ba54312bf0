// Message passing: block 0 writes a value and sets a flag, block 1 waits for the flag and reads the value.
// Both accesses of the flag are relaxed: the value may still be the old one.
#include "../ui/support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void pass(int *data, int *flag, int *got) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; //~ WRITE
        Flag(*flag).store(1, cuda::memory_order_relaxed);
    } else {
        while (Flag(*flag).load(cuda::memory_order_relaxed) == 0) {}
        *got = *data; //~ READ
    }
}

int main() {
    int *memory, host[3];
    CHECK(cudaMalloc(&memory, sizeof host));
    CHECK(cudaMemset(memory, 0, sizeof host));
    pass<<<2, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("got %d\n", host[2]);
    return 0;
}
