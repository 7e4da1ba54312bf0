//@ lens-ptx: race
//@ class: missing-barrier
// Two groups of two warps work on their own, each with its own named barrier.
// The bug: the barrier's number is taken from the warp, not from the group, so each
// warp waits only for itself. The clean twin names it by group, for 64 threads.
#include "../support/check.h"

constexpr int GROUP = 64, GROUPS = 2, THREADS = GROUP * GROUPS;

__device__ void group_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__global__ void swap_in_groups(const int *in, int *out) {
    __shared__ int slot[THREADS];
    int t = threadIdx.x;
    slot[t] = in[blockIdx.x * THREADS + t]; //~ RACE(1)
    group_barrier(1 + t / 32, 32);
    int swapped = slot[t ^ 32]; //~ RACE(1)
    out[blockIdx.x * THREADS + t] = swapped;
}

int main() {
    const int n = 2 * THREADS;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = 3 * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    swap_in_groups<<<n / THREADS, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 3 * (i ^ 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}

//@ engine-guard: race
//@ engine-collide: race
