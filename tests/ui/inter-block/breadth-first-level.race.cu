//@ lens-ptx: race
//@ class: inter-block
// One level of a breadth-first search: blocks give distances to the neighbours of
// their vertices.
// The bug: two blocks reach the same vertex and both store its distance, with equal
// values; that is a race. The clean twin stores with an atomic.
#include "../support/check.h"

constexpr int VERTICES = 64;

__global__ void expand(const int *neighbour, int *distance, int level) {
    int vertex = neighbour[blockIdx.x * 32 + threadIdx.x];
    distance[vertex] = level + 1; //~ RACE(1) RACE(1)
}

int main() {
    const int edges = 3 * 32;
    int host[edges], got[VERTICES], *neighbour, *distance, reached = 0;
    // The lanes of a block reach different vertices, the blocks overlap.
    for (int i = 0; i < edges; ++i) host[i] = (i % 32 + 16 * (i / 32)) % VERTICES;
    CHECK(cudaMalloc(&neighbour, sizeof host));
    CHECK(cudaMalloc(&distance, sizeof got));
    CHECK(cudaMemcpy(neighbour, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(distance, 0xff, sizeof got));
    expand<<<3, 32>>>(neighbour, distance, 0);
    CHECK(cudaMemcpy(got, distance, sizeof got, cudaMemcpyDeviceToHost));
    for (int d : got) reached += d == 1;
    std::printf("%d reached\n", reached);
    return reached != VERTICES;
}
//@ engine-guard: race
