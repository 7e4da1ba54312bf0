//@ lens-ptx: hazard
//@ class: same-instruction
// A step of a breadth-first search: each lane marks the neighbours of a node with the next level.
// The hazard: lanes that have a neighbour in common mark it at once, with the same level. In
// the clean twin marking is atomic.
#include "../support/check.h"

__global__ void step(const int *neighbours, int *level, int next) {
    int to = neighbours[blockIdx.x * 32 + threadIdx.x];
    level[to] = next; //~ HAZARD(1) HAZARD(1)
}

int main() {
    int host[32], got[4096], *neighbours, *level, marked = 0;
    for (int i = 0; i < 32; ++i) host[i] = (i / 3) * 1103 % 4096;
    CHECK(cudaMalloc(&neighbours, sizeof host));
    CHECK(cudaMalloc(&level, sizeof got));
    CHECK(cudaMemcpy(neighbours, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(level, 0xff, sizeof got));
    step<<<1, 32>>>(neighbours, level, 7);
    CHECK(cudaMemcpy(got, level, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4096; ++i) marked += got[i] == 7;
    std::printf("%d marked\n", marked);
    return marked != 11;
}
//@ engine-collide: unseen
