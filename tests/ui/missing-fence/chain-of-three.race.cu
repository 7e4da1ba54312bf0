//@ lens-ptx: race
//@ class: missing-fence
// A message travels over two flags: from block 0 to 1, and on to 2, which reads it.
// The bug: the block in the middle passes on the flag without a fence, so nothing
// orders the ends. In the clean twin its fence makes the order transitive.
#include "../support/check.h"

__global__ void relay(int *message, volatile int *first, volatile int *second, int *out) {
    if (blockIdx.x == 0) {
        *message = 5; //~ RACE(1)
        __threadfence();
        *first = 1;
    } else if (blockIdx.x == 1) {
        while (*first == 0) {}
        *second = 1;
    } else {
        while (*second == 0) {}
        __threadfence();
        int received = *message; //~ RACE(1)
        *out = received;
    }
}

int main() {
    int got, *memory; // message, first, second, out
    CHECK(cudaMalloc(&memory, 4 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 4 * sizeof(int)));
    relay<<<3, 1>>>(memory, memory + 1, memory + 2, memory + 3);
    CHECK(cudaMemcpy(&got, memory + 3, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 5;
}
//@ engine-guard: race
