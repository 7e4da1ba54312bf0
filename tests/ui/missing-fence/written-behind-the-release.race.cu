//@ lens-ptx: race
//@ class: missing-fence
// A block hands a message to another by a flag, and corrects the message.
// The bug: it is corrected when the flag is set already; the release before says nothing of
// that. The clean twin corrects first.
#include "../support/check.h"

__global__ void send(int *message, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *message = 40;
        __threadfence();
        *(volatile int *)flag = 1;
        *message += 2; //~ RACE(1)
    } else {
        while (*(volatile int *)flag == 0) {}
        __threadfence();
        int received = *message; //~ RACE(1)
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
//@ engine-guard: race
//@ engine-collide: race
