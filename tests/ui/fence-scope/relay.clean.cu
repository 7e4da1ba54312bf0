//@ lens-ptx: clean
// Three blocks pass a message on: each waits for a flag and sets the next.
// Clean: the second block acquires and releases at device scope between the flags.
#include "../support/check.h"

__global__ void relay(int *message, volatile int *flag, int *other, int *out) {
    if (blockIdx.x == 0) {
        *message = 5;
        __threadfence();
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        *other = 1;
        __threadfence();
        while (flag[0] == 0) {}
        __threadfence();
        flag[1] = 1;
    } else {
        while (flag[1] == 0) {}
        __threadfence();
        int received = *message;
        *out = received;
    }
}

int main() {
    int got, *memory; // message, two flags, other, out
    CHECK(cudaMalloc(&memory, 5 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 5 * sizeof(int)));
    relay<<<3, 1>>>(memory, memory + 1, memory + 3, memory + 4);
    CHECK(cudaMemcpy(&got, memory + 4, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 5;
}
//@ engine-guard: unseen
