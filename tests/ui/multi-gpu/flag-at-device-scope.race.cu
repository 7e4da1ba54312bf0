//@ lens-ptx: race
//@ class(1): fence-scope
//@ class(2): multi-gpu
//@ run: --devices 2
// A kernel on one device leaves a message for a kernel on another, which was launched first.
// The bug: the flag's atomics have device scope, which ends at one device. (The fences are of system scope.)
// The clean twin has atomics of system scope.
#include "../support/check.h"

__global__ void send(int *message, int *flag) {
    *message = 64; //~ RACE(1)
    __threadfence_system();
    atomicExch(flag, 1); //~ RACE(2)
}

__global__ void receive(int *message, int *flag, int *out) {
    while (atomicAdd(flag, 0) == 0) {} //~ RACE(2)
    __threadfence_system();
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
