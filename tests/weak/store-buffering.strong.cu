// Store buffering: each block sets its own flag and looks at the other's, as in Dekker's lock. Nothing races.
// With a fence between the two, one of them sees the other's flag.
#include "../ui/support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void enter(int *flags, int *saw) {
    if (threadIdx.x != 0) return;
    int mine = blockIdx.x, other = 1 - mine;
    Flag(flags[mine]).store(1, cuda::memory_order_relaxed);
    __threadfence();
    saw[mine] = Flag(flags[other]).load(cuda::memory_order_relaxed);
}

int main() {
    int *memory, host[4];
    CHECK(cudaMalloc(&memory, sizeof host));
    CHECK(cudaMemset(memory, 0, sizeof host));
    enter<<<2, 32>>>(memory, memory + 2);
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("saw %d %d\n", host[2], host[3]);
    return 0;
}
