//@ lens-ptx: race
//@ class: missing-fence
//@ any-order: may-hide
// A producer makes two halves and tells of each by a flag; a consumer waits for the first.
// The bug: the first arrival is relaxed, and releases nothing. That the second one releases helps only those who happen
// to see it. In the clean twin both release.
#include "../support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void hand_over(int *halves, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (Flag(*flag).load(cuda::memory_order_acquire) < 1) {
        }
        out[0] = halves[0]; //~ RACE(1)
    } else {
        halves[0] = 7; //~ RACE(1)
        Flag(*flag).store(1, cuda::memory_order_relaxed);
        halves[1] = 8;
        Flag(*flag).store(2, cuda::memory_order_release);
    }
}

int main() {
    int got, *halves, *flag, *out;
    CHECK(cudaMalloc(&halves, 2 * sizeof(int)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    hand_over<<<2, 32>>>(halves, flag, out);
    CHECK(cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 7;
}
//@ engine-guard: race
