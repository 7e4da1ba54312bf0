//@ lens-ptx: clean
// Blocks add doubles with the compare-and-swap loop of the programming guide.
// Clean: atomicCAS() at device scope; the loop reads only what its own CAS returned.
#include "../support/check.h"

__device__ void add(unsigned long long *sum, double value) {
    unsigned long long seen = 0, expected;
    do {
        expected = seen;
        double next = __longlong_as_double(expected) + value;
        seen = atomicCAS(sum, expected, __double_as_longlong(next));
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
