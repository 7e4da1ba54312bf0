//@ advice: which flags between kernels relay the data is not told; the stream could wait as well
//@ lens-ptx: race
//@ class: multi-gpu
//@ run: --devices 2
// A kernel on one device leaves a message, which a kernel on another device passes on to a kernel beside it.
// The bug: the flag between the devices has device scope, too. In the clean twin it has system scope.
#include "../support/check.h"

__global__ void send(int *message, int *flag) {
    *message = 64; //~ RACE(1)
    __threadfence_system();
    atomicExch(flag, 1); //~ RACE(2)
}

__global__ void relay(int *flag, int *next) {
    while (atomicAdd(flag, 0) == 0) {} //~ RACE(2)
    __threadfence_system();
    atomicExch(next, 1);
}

__global__ void receive(int *message, int *next, int *out) {
    while (atomicAdd(next, 0) == 0) {}
    __threadfence();
    int received = *message; //~ RACE(1)
    *out = received;
}

int main() {
    int got, *memory, *next; // memory: message, flag; next: flag, result
    cudaStream_t first, second;
    cudaFuncAttributes loaded;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    // Kernels are not loaded while others wait.
    CHECK(cudaFuncGetAttributes(&loaded, relay));
    CHECK(cudaFuncGetAttributes(&loaded, receive));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaMalloc(&next, 2 * sizeof(int)));
    CHECK(cudaMemset(next, 0, 2 * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    receive<<<1, 1, 0, first>>>(memory, next, next + 1);
    relay<<<1, 1, 0, second>>>(memory + 1, next);
    CHECK(cudaSetDevice(0));
    send<<<1, 1>>>(memory, memory + 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, next + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 64;
}
//@ engine-guard: race
