//@ lens-ptx: clean
// Two blocks of different clusters pass a message with PTX fences.
// Clean: the fences have scope gpu, which covers blocks of other clusters.
#include "../support/check.h"

__device__ void fence() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__global__ void relay(int *message, volatile int *ready, int *out) {
    if (blockIdx.x == 0) {
        *message = 99;
        fence();
        *ready = 1;
    } else {
        while (*ready == 0) {}
        fence();
        int received = *message;
        *out = received;
    }
}

int main() {
    int got, *memory; // message, ready, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    relay<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 99;
}
//@ arch: 90
//@ engine-guard: unseen
