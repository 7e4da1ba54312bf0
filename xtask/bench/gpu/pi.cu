// Random points in a square, 1000 a thread; one atomic a warp.
#include "../timed.h"

__global__ void throw_points(unsigned *inside) {
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1, hits = 0;
    for (int i = 0; i < 1000; i++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * 0x1p-24f;
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * 0x1p-24f;
        hits += x * x + y * y < 1;
    }
    hits = __reduce_add_sync(~0u, hits);
    if (threadIdx.x % 32 == 0) atomicAdd(inside, hits);
}

int main() {
    unsigned *inside;
    cudaMalloc(&inside, sizeof *inside);
    throw_points<<<4096, 256>>>(inside);
    Timed timed;
    for (int i = 0; i < 5; i++) throw_points<<<4096, 256>>>(inside);
}
