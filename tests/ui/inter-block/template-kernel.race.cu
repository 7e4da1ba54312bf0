//@ lens-ptx: race
//@ class: inter-block
// A template of a kernel, for an operation and a type.
// The bug: the combined result is one for the grid, and combined without an atomic.
// The clean twin has a result for each block.
#include "../support/check.h"

struct Largest {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};

template <class T, class Combine>
__global__ void combine(const T *in, T *result, Combine op) {
    if (threadIdx.x != 0) return;
    T *mine = result;
    for (int i = 0; i < 4; ++i) {
        T value = in[blockIdx.x * 4 + i];
        *mine = op(*mine, value); //~ RACE(1) RACE(1)
    }
}

int main() {
    const int blocks = 3, n = 4 * blocks;
    float host[n], got[blocks], *in, *result;
    for (int i = 0; i < n; ++i) host[i] = i % 7 * 1.5f;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&result, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(result, 0, sizeof got));
    combine<<<blocks, 32>>>(in, result, Largest{});
    CHECK(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    float best = 0;
    for (float v : got) best = v > best ? v : best;
    std::printf("%g\n", best);
    return best != 9.0f;
}
//@ engine-guard: race
//@ engine-collide: race
