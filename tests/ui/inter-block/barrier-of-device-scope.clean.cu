//@ lens-ptx: clean
// Two blocks meet at a cuda::barrier in global memory.
// Clean: both wait at the barrier before they read.
#include "../support/check.h"
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_device>;

__global__ void construct(Barrier *both) { new (both) Barrier(2); }

__global__ void exchange(Barrier *both, int *slot, int *out) {
    int b = blockIdx.x;
    slot[b] = 5 + b;
    auto token = both->arrive();
    both->wait(std::move(token));
    int other = slot[1 - b];
    out[b] = other;
}

int main() {
    int got[2], *memory; // slots, out
    Barrier *both;
    CHECK(cudaMalloc(&both, sizeof *both));
    CHECK(cudaMalloc(&memory, 4 * sizeof(int)));
    construct<<<1, 1>>>(both);
    exchange<<<2, 1>>>(both, memory, memory + 2);
    CHECK(cudaMemcpy(got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[1]);
    return got[0] != 6 || got[1] != 5;
}
//@ engine-guard: unseen
