//@ lens-ptx: race
//@ class: fence-scope
//@ run: --devices 2
// A kernel on one device leaves a message for a kernel on another.
// The bug: __threadfence() covers one device. The clean twin uses
// __threadfence_system() on both sides.
#include "../support/check.h"

__global__ void send(int *message, volatile int *flag) {
    *message = 64; //~ RACE(1)
    __threadfence();
    *flag = 1;
}

__global__ void receive(int *message, volatile int *flag, int *out) {
    while (*flag == 0) {}
    __threadfence();
    int received = *message; //~ RACE(1)
    *out = received;
}

int main() {
    int got, *memory, *out; // memory: message, flag
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaMalloc(&out, sizeof(int)));
    receive<<<1, 1>>>(memory, memory + 1, out);
    CHECK(cudaSetDevice(0));
    send<<<1, 1>>>(memory, memory + 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 64;
}
//@ engine-guard: race
