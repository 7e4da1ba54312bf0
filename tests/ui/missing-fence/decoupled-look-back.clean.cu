//@ lens-ptx: clean
// A scan whose blocks wait for the inclusive sum of the block before them.
// Clean: status and sum travel in one 64-bit atomic word, so no order is needed.
#include "../support/check.h"

__global__ void chained_sum(const int *in, unsigned long long *state, int *sums, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    int sum = in[b];
    if (b > 0) {
        unsigned long long seen;
        while ((seen = atomicAdd(&state[b - 1], 0ull)) >> 32 == 0) {}
        int before = static_cast<int>(seen);
        sum += before;
    }
    atomicExch(&state[b], 1ull << 32 | static_cast<unsigned>(sum));
    out[b] = sum;
}

int main() {
    const int blocks = 6;
    int host[blocks] = {1, 2, 3, 4, 5, 6}, got[blocks], *in, *sums, *out;
    unsigned long long *state;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&state, blocks * sizeof *state));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(state, 0, blocks * sizeof *state));
    chained_sum<<<blocks, 32>>>(in, state, sums, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got[blocks - 1]);
    return got[blocks - 1] != 21;
}
