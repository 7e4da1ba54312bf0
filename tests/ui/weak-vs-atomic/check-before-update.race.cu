//@ lens-ptx: race
//@ class: weak-vs-atomic
// Blocks look for a minimum and spare the atomic if it cannot win.
// The bug: the check is a plain read. In the clean twin it is a volatile one, which the
// memory model takes for a relaxed access.
#include "../support/check.h"

__global__ void minimum(const int *in, int *least) {
    if (threadIdx.x != 0) return;
    int mine = in[blockIdx.x];
    int now = *least; //~ RACE(1)
    if (mine < now)
        atomicMin(least, mine); //~ RACE(1)
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
//@ engine-guard: race
