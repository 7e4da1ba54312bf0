//@ lens-ptx: race
//@ class: atomic-scope
// The first block refills a budget from which the other blocks draw.
// The bug: the refill is atomic at block scope, the draws at device scope. Both sides
// must include each other. The clean twin uses device scope on both.
#include "../support/check.h"

__global__ void budget(int *tokens) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            atomicAdd_block(tokens, 100); //~ RACE(1)
    } else {
        atomicSub(tokens, 1); //~ RACE(1)
    }
}

int main() {
    int got, *tokens;
    CHECK(cudaMalloc(&tokens, sizeof(int)));
    CHECK(cudaMemset(tokens, 0, sizeof(int)));
    budget<<<3, 32>>>(tokens);
    CHECK(cudaMemcpy(&got, tokens, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d left\n", got);
    return got != 100 - 64;
}
//@ engine-guard: race
