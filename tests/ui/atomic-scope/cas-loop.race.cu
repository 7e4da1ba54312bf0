//@ lens-ptx: race
//@ class: atomic-scope
// Blocks add doubles with the compare-and-swap loop of the programming guide.
// The bug: atomicCAS_block() on a sum of all blocks. The clean twin uses atomicCAS().
#include "../support/check.h"

__device__ void add(unsigned long long *sum, double value) {
    unsigned long long seen = 0, expected;
    do {
        expected = seen;
        double next = __longlong_as_double(expected) + value;
        seen = atomicCAS_block(sum, expected, __double_as_longlong(next)); //~ RACE(1) RACE(1)
    } while (seen != expected);
}

__global__ void sum_up(const double *in, unsigned long long *sum) {
    if (threadIdx.x == 0) add(sum, in[blockIdx.x]);
}

int main() {
    double host[4] = {0.5, 1.5, 2.5, 3.5}, got, *in;
    unsigned long long *sum;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    sum_up<<<4, 32>>>(in, sum);
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%g\n", got);
    return got != 8.0;
}
//@ engine-guard: race
