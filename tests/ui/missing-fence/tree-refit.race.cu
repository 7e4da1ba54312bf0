//@ lens-ptx: race
// Sums up a binary tree from its leaves: of the two threads that come to a node, the first one ends and the second one
// goes on. Here both often come with the same instruction of one warp.
// Race: nothing releases a child's sum before the counter.
#include "../support/check.h"

constexpr int LEAVES = 128;

__global__ void refit(int *sum, int *arrived) {
    int node = LEAVES + blockIdx.x * blockDim.x + threadIdx.x;
    sum[node] = node - LEAVES; //~ RACE(1)
    while (node > 1) {
        node /= 2;
        if (atomicAdd(&arrived[node], 1) == 0) return;
        __threadfence();
        sum[node] = sum[2 * node] + sum[2 * node + 1]; //~ RACE(1) RACE(2) RACE(2)
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
//@ advice: of lanes of one warp the report says that they are not synchronised, which a fence mends, too
//@ engine-guard: race
