//@ lens-ptx: clean
// A block hands a message to another by a flag, and corrects the message.
// Clean: the message is corrected before it is released.
#include "../support/check.h"

__global__ void send(int *message, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *message = 40;
        *message += 2;
        __threadfence();
        *(volatile int *)flag = 1;
    } else {
        while (*(volatile int *)flag == 0) {}
        __threadfence();
        int received = *message;
        *out = received / 40;
    }
}

int main() {
    int got, *memory; // message, flag, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    send<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 1;
}
