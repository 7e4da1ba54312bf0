// Load buffering: each block reads the other's flag, then sets its own. Nothing races.
// With a fence between the two, at least one read returns 0.
#include "../ui/support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void leave(int *flags, int *saw) {
    if (threadIdx.x != 0) return;
    int mine = blockIdx.x, other = 1 - mine;
    int seen = Flag(flags[other]).load(cuda::memory_order_relaxed);
    __threadfence();
    Flag(flags[mine]).store(1, cuda::memory_order_relaxed);
    saw[mine] = seen;
}

int main() {
    int *memory, host[4];
    CHECK(cudaMalloc(&memory, sizeof host));
    CHECK(cudaMemset(memory, 0, sizeof host));
    leave<<<2, 32>>>(memory, memory + 2);
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("saw %d %d\n", host[2], host[3]);
    return 0;
}
