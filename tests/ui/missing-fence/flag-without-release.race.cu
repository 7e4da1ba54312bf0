//@ lens-ptx: race
//@ class: missing-fence
// One block leaves a message and raises a volatile flag for another.
// The bug: nothing orders the message before the flag. The clean twin has
// __threadfence() between them.
#include "../support/check.h"

__global__ void send_and_receive(int *message, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *message = 42; //~ RACE(1)
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, flag, out
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    send_and_receive<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 42;
}
//@ engine-guard: race
