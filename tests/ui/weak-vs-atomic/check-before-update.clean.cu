//@ lens-ptx: clean
// Blocks look for a minimum and spare the atomic if it cannot win.
// Clean: the check is a volatile read, which counts as a relaxed access.
#include "../support/check.h"

__global__ void minimum(const int *in, int *least) {
    if (threadIdx.x != 0) return;
    int mine = in[blockIdx.x];
    int now = *(volatile int *)least;
    if (mine < now)
        atomicMin(least, mine);
}

int main() {
    const int blocks = 4;
    int host[blocks] = {44, 22, 33, 11}, got = 1000, *in, *least;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&least, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(least, &got, sizeof got, cudaMemcpyHostToDevice));
    minimum<<<blocks, 32>>>(in, least);
    CHECK(cudaMemcpy(&got, least, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 11;
}
