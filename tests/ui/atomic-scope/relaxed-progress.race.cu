//@ lens-ptx: race
//@ class: atomic-scope
// One block reports its progress, another polls it; nothing else hangs on the value.
// The bug: the poll is an atomic load at block scope, which does not include the
// writer. The clean twin polls at device scope: relaxed on both sides is no race.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void progress(int *done, int *polls) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(*done);
        mine.store(1, cuda::memory_order_relaxed); //~ RACE(1)
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_block> theirs(*done);
        int count = 0;
        while (theirs.load(cuda::memory_order_relaxed) == 0) //~ RACE(1)
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
//@ engine-guard: race
