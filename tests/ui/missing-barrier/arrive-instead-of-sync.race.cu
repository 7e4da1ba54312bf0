//@ lens-ptx: race
//@ class: missing-barrier
// Two producer warps hand a buffer to two consumer warps with bar.arrive / bar.sync.
// The bug: the roles are swapped. The consumers only arrive, which waits for nobody
// and orders nothing after it. In the clean twin producers arrive, consumers sync.
#include "../support/check.h"

constexpr int HALF = 64, THREADS = 2 * HALF;

__device__ void arrive(int id) { asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory"); }
__device__ void await(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }

__global__ void hand_over(const int *in, int *out) {
    __shared__ int buffer[HALF];
    int t = threadIdx.x;
    if (t < HALF) {
        buffer[t] = in[blockIdx.x * HALF + t]; //~ RACE(1)
        await(1);
    } else {
        arrive(1);
        int got = buffer[THREADS - 1 - t]; //~ RACE(1)
        out[blockIdx.x * HALF + t - HALF] = got;
    }
}

int main() {
    const int blocks = 3, n = blocks * HALF;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    hand_over<<<blocks, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / HALF * HALF + HALF - 1 - i % HALF;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
