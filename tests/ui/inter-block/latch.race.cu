//@ lens-ptx: race
//@ class: inter-block
// A block prepares a table, the others wait for it at a cuda::latch.
// The bug: the readers do not wait there. The clean twin's do.
#include "../support/check.h"
#include <cuda/latch>

using Latch = cuda::latch<cuda::thread_scope_device>;

__global__ void construct(Latch *prepared) { new (prepared) Latch(1); }

__global__ void prepare_and_use(Latch *prepared, int *table, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *table = 9; //~ RACE(1)
        prepared->count_down();
    } else {
        int value = *table; //~ RACE(1)
        out[blockIdx.x] = value;
    }
}

int main() {
    int got[3], *table, *out;
    Latch *prepared;
    CHECK(cudaMalloc(&prepared, sizeof *prepared));
    CHECK(cudaMalloc(&table, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(table, 0, sizeof(int)));
    construct<<<1, 1>>>(prepared);
    prepare_and_use<<<3, 32>>>(prepared, table, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[1], got[2]);
    return got[1] != 9 || got[2] != 9;
}
//@ engine-guard: race
//@ engine-collide: race
