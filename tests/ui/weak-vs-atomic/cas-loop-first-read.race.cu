//@ lens-ptx: race
//@ class: weak-vs-atomic
// atomicMax for floats, by compare-and-swap, as in many programs.
// The bug: the loop starts from a plain read of the word that others swap. The clean
// twin starts from a relaxed load.
#include "../support/check.h"
#include <cuda/atomic>

__device__ void atomic_max(float *address, float value) {
    int *word = reinterpret_cast<int *>(address);
    int seen = *word; //~ RACE(1)
    int expected;
    do {
        expected = seen;
        float next = fmaxf(value, __int_as_float(expected));
        seen = atomicCAS(word, expected, __float_as_int(next)); //~ RACE(1)
    } while (seen != expected);
}

__global__ void maximum(const float *in, float *best) {
    if (threadIdx.x == 0) atomic_max(best, in[blockIdx.x]);
}

int main() {
    float host[4] = {0.5f, 2.5f, 1.5f, 2.0f}, got, *in, *best;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&best, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(best, 0, sizeof got));
    maximum<<<4, 32>>>(in, best);
    CHECK(cudaMemcpy(&got, best, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%g\n", got);
    return got != 2.5f;
}
//@ engine-guard: race
