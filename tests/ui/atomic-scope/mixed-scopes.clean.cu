//@ lens-ptx: clean
// The first block refills a budget from which the other blocks draw.
// Clean: device scope on both sides.
#include "../support/check.h"

__global__ void budget(int *tokens) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            atomicAdd(tokens, 100);
    } else {
        atomicSub(tokens, 1);
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
