//@ lens-ptx: clean
// One block reports its progress, another polls it; nothing else hangs on the value.
// Clean: relaxed stores and loads at device scope do not race.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void progress(int *done, int *polls) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(*done);
        mine.store(1, cuda::memory_order_relaxed);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> theirs(*done);
        int count = 0;
        while (theirs.load(cuda::memory_order_relaxed) == 0)
            ++count;
        *polls = count;
    }
}

int main() {
    int got, *done, *polls;
    CHECK(cudaMalloc(&done, sizeof(int)));
    CHECK(cudaMalloc(&polls, sizeof(int)));
    CHECK(cudaMemset(done, 0, sizeof(int)));
    progress<<<2, 32>>>(done, polls);
    CHECK(cudaMemcpy(&got, polls, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("done\n");
    return got < 0;
}
