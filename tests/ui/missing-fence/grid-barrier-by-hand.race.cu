//@ lens-ptx: race
//@ class: missing-fence
// A home-made grid barrier: blocks count themselves in and wait for the rest.
// The bug: it has no fences, so it waits but orders nothing. The clean twin has
// __threadfence() before counting and after waiting.
#include "../support/check.h"

constexpr int THREADS = 32;

__device__ void grid_barrier(unsigned *arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x) {}
    }
    __syncthreads();
}

__global__ void shift_blocks(int *values, unsigned *arrived, int *out) {
    int b = blockIdx.x, t = threadIdx.x;
    values[b * THREADS + t] = 1000 * b + t; //~ RACE(1)
    grid_barrier(arrived);
    int next = (b + 1) % gridDim.x;
    int value = values[next * THREADS + t]; //~ RACE(1)
    out[b * THREADS + t] = value;
}

int main() {
    const int blocks = 4, n = blocks * THREADS;
    int got[n], *values, *out, wrong = 0;
    unsigned *arrived;
    CHECK(cudaMalloc(&values, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMalloc(&arrived, sizeof *arrived));
    CHECK(cudaMemset(arrived, 0, sizeof *arrived));
    shift_blocks<<<blocks, THREADS>>>(values, arrived, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        wrong += got[i] != (i / THREADS + 1) % blocks * 1000 + i % THREADS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
