//@ lens-ptx: race
//@ class: tensor-memory
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// A thread of the first block multiplies for both blocks of a pair, and each loads its half of the rows.
// The bug: they meet, but wait for the mbarrier of the commit only behind the load. In the clean twin each waits before it.
#include "../support/tcgen05.h"

__global__ void __cluster_dims__(2) multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS / 2 * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t done;
    int t = threadIdx.x, rank = blockIdx.x;
    if (t < 32) ALLOCATE_PAIR(&place);
    if (t == 0) init_barrier(&done);
    // Each block has half of the rows of A and half of the columns of B.
    for (int k = 0; k < DEPTH; ++k) a[place_in_tile(t, k)] = half_of(factor_a(ROWS * rank + t, k));
    if (t < COLUMNS / 2)
        for (int k = 0; k < DEPTH; ++k) b[place_in_tile(t, k)] = half_of(factor_b(COLUMNS / 2 * rank + t, k));
    ASYNC_FENCE();
    __syncthreads();
    MEET_CLUSTER();
    uint32_t address = place, value;
    if (rank == 0 && t == 0) {
        MULTIPLY_PAIR(address, a, b); //~ RACE(1)
        COMMIT_TO_BOTH(&done);
    }
    MEET_CLUSTER();
    LOAD(value, own_lanes(address) + 17); //~ RACE(1)
    WAIT_LOAD();
    await(&done, 0);
    out[ROWS * rank + t] = value;
    MEET_CLUSTER();
    if (t < 32) DEALLOCATE_PAIR(address);
}

int main() {
    static uint32_t got[2 * ROWS];
    uint32_t *out;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    multiply<<<2, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < 2 * ROWS; ++row) wrong += got[row] != bits_of(float(expected(row, 17)));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 100
//@ engine-guard: race
