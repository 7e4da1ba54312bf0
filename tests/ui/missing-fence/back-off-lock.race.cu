//@ lens-ptx: race
//@ class: missing-fence
// A spin lock that backs off with __nanosleep() while it is taken.
// The bug: the try is relaxed, so what follows may come before it. The clean twin tries
// with acquire.
#include "../support/check.h"
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ void lock(int *mutex) {
    unsigned pause = 8;
    while (Flag(*mutex).exchange(1, cuda::memory_order_relaxed) != 0) {
        __nanosleep(pause);
        if (pause < 256) pause *= 2;
    }
}

__device__ void unlock(int *mutex) { Flag(*mutex).store(0, cuda::memory_order_release); }

__global__ void smallest(int *mutex, const int *in, int *least) {
    if (threadIdx.x != 0) return;
    int mine = in[blockIdx.x];
    lock(mutex);
    *least = min(*least, mine); //~ RACE(1) RACE(1)
    unlock(mutex);
}

int main() {
    const int blocks = 4;
    int host[blocks] = {7, 3, 9, 5}, got = 100, *in, *memory; // memory: mutex, least
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, sizeof(int)));
    CHECK(cudaMemcpy(memory + 1, &got, sizeof got, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    smallest<<<blocks, 32>>>(memory, in, memory + 1);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 3;
}
//@ engine-guard: race
