//@ lens-ptx: race
//@ class: missing-barrier
// Keys and values share one dynamic shared allocation.
// The bug: the values start after half of the keys, so two threads fill the same
// words. The clean twin lets them start after the last key.
#include "../support/check.h"

constexpr int PAIRS = 128;

__global__ void split_pairs(const int2 *in, int *keys_out, int *values_out) {
    extern __shared__ int pool[];
    int *keys = pool;
    int *values = pool + PAIRS / 2;
    int t = threadIdx.x;
    int2 pair = in[blockIdx.x * PAIRS + t];
    keys[t] = pair.x; //~ RACE(1)
    values[t] = pair.y; //~ RACE(1)
    __syncthreads();
    keys_out[blockIdx.x * PAIRS + t] = keys[PAIRS - 1 - t];
    values_out[blockIdx.x * PAIRS + t] = values[PAIRS - 1 - t];
}

int main() {
    const int blocks = 2, n = blocks * PAIRS;
    static int2 host[n];
    static int keys[n], values[n];
    int2 *in;
    int *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = {i, -i};
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 2 * sizeof keys));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    split_pairs<<<blocks, PAIRS, 2 * PAIRS * sizeof(int)>>>(in, out, out + n);
    CHECK(cudaMemcpy(keys, out, sizeof keys, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(values, out + n, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += keys[i] != -values[i];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
