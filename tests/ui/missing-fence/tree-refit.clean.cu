//@ lens-ptx: clean
// Sums up a binary tree from its leaves: of the two threads that come to a node, the first one ends and the second one
// goes on. Here both often come with the same instruction of one warp.
// Clean: a fence before the counter and one behind it; who finds the counter at 1 has observed the other's arrival.
#include "../support/check.h"

constexpr int LEAVES = 128;

__global__ void refit(int *sum, int *arrived) {
    int node = LEAVES + blockIdx.x * blockDim.x + threadIdx.x;
    sum[node] = node - LEAVES;
    while (node > 1) {
        __threadfence();
        node /= 2;
        if (atomicAdd(&arrived[node], 1) == 0) return;
        __threadfence();
        sum[node] = sum[2 * node] + sum[2 * node + 1];
    }
}

int main() {
    int *sum, *arrived, got;
    CHECK(cudaMalloc(&sum, 2 * LEAVES * sizeof(int)));
    CHECK(cudaMalloc(&arrived, LEAVES * sizeof(int)));
    CHECK(cudaMemset(arrived, 0, LEAVES * sizeof(int)));
    refit<<<2, LEAVES / 2>>>(sum, arrived);
    CHECK(cudaMemcpy(&got, sum + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != LEAVES * (LEAVES - 1) / 2;
}
