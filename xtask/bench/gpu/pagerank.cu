// Ranks of 1 Mi pages with 16 links each, pushed by atomics, five rounds.
#include "../timed.h"

const int PAGES = 1 << 20, LINKS = 16;

__global__ void push(const float *rank, float *next) {
    int page = blockIdx.x * blockDim.x + threadIdx.x;
    float share = 0.85f * rank[page] / LINKS;
    for (int link = 0; link < LINKS; link++)
        atomicAdd(&next[(page * 1664525u + (link + 1) * 1013904223u) % PAGES], share);
}

__global__ void rest(float *rank, float *next) {
    int page = blockIdx.x * blockDim.x + threadIdx.x;
    rank[page] = next[page];
    next[page] = 0.15f / PAGES;
}

int main() {
    float *rank, *next;
    cudaMalloc(&rank, sizeof *rank * PAGES);
    cudaMalloc(&next, sizeof *next * PAGES);
    cudaMemset(rank, 0, sizeof *rank * PAGES);
    cudaMemset(next, 0, sizeof *next * PAGES);
    push<<<PAGES / 256, 256>>>(rank, next);
    rest<<<PAGES / 256, 256>>>(rank, next);
    Timed timed;
    for (int i = 0; i < 5; i++) {
        push<<<PAGES / 256, 256>>>(rank, next);
        rest<<<PAGES / 256, 256>>>(rank, next);
    }
}
