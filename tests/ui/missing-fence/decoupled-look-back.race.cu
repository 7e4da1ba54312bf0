//@ lens-ptx: race
//@ class: missing-fence inter-block
// A scan whose blocks wait for the inclusive sum of the block before them.
// The bug: status and sum are two words, and the status is raised without a fence. In
// the clean twin both travel in one 64-bit atomic word, which needs no order at all.
#include "../support/check.h"

__global__ void chained_sum(const int *in, unsigned long long *state, int *sums, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    int sum = in[b];
    if (b > 0) {
        while (atomicAdd(&state[b - 1], 0ull) == 0) {}
        int before = sums[b - 1]; //~ RACE(1)
        sum += before;
    }
    sums[b] = sum; //~ RACE(1)
    atomicExch(&state[b], 1ull);
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
//@ advice: its clean twin has flag and sum in one word, which needs no fence
//@ engine-guard: race
