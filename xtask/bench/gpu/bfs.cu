// Breadth-first search over 2 Mi nodes with 8 edges each, level by level; levels are claimed by atomics.
#include "../timed.h"

const int NODES = 2 << 20, EDGES = 8;

__device__ int neighbour(int node, int edge) { return (node * 1664525u + (edge + 1) * 1013904223u) % NODES; }

__global__ void begin(int *level, int *count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < NODES; i += gridDim.x * blockDim.x) level[i] = i ? -1 : 0;
    if (blockIdx.x == 0 && threadIdx.x < 32) count[threadIdx.x] = threadIdx.x == 0;
}

__global__ void expand(int *level, int depth, const int *from, int *to, int *count) {
    int n = count[depth];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int edge = 0; edge < EDGES; edge++) {
            int next = neighbour(from[i], edge);
            if (atomicCAS(&level[next], -1, depth + 1) == -1) to[atomicAdd(&count[depth + 1], 1)] = next;
        }
}

int main() {
    int *level, *count, *from, *to;
    cudaMalloc(&level, sizeof(int) * NODES);
    cudaMalloc(&count, sizeof(int) * 32);
    cudaMalloc(&from, sizeof(int) * NODES);
    cudaMalloc(&to, sizeof(int) * NODES);
    cudaMemset(from, 0, sizeof(int) * NODES);
    begin<<<1024, 256>>>(level, count);
    expand<<<1024, 256>>>(level, 30, from, to, count);
    Timed timed;
    for (int depth = 0; depth < 16; depth++) {
        expand<<<1024, 256>>>(level, depth, from, to, count);
        int *other = from;
        from = to;
        to = other;
    }
}
