//@ lens-ptx: race
//@ class: missing-fence
// A flag of cuda::atomic_ref announces a table that another block has made.
// The bug: the flag is stored and loaded relaxed, which announces nothing but itself.
// The clean twin stores with release and loads with acquire.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void publish(int *table, int *ready, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    int lane = threadIdx.x;
    if (blockIdx.x == 0) {
        table[lane] = lane * lane; //~ RACE(1)
        __syncwarp();
        if (lane == 0)
            flag.store(1, cuda::memory_order_relaxed);
    } else {
        if (lane == 0)
            while (flag.load(cuda::memory_order_relaxed) == 0) {}
        __syncwarp();
        int entry = table[31 - lane]; //~ RACE(1)
        out[lane] = entry;
    }
}

int main() {
    int got[32], *memory, wrong = 0; // table, ready, out
    CHECK(cudaMalloc(&memory, 96 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 96 * sizeof(int)));
    publish<<<2, 32>>>(memory, memory + 32, memory + 64);
    CHECK(cudaMemcpy(got, memory + 64, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (31 - i) * (31 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
