//@ lens-ptx: race
//@ class: proxy
// Blocks add their tiles to one matrix by a tensor map; the reductions are atomic.
// The bug: no proxy fence between the stores to the tile and its reduction. The clean
// twin has it.
#include "../support/tensor.h"

constexpr int ROWS = 8, COLUMNS = 64, BOX = 8, BLOCKS = 4;

__global__ void sums(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[BOX][COLUMNS];
    int t = threadIdx.x;
    for (int row = 0; row < BOX; ++row)
        tile[row][t] = blockIdx.x + row; //~ RACE(1)
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(0), "r"(shared_pointer(tile)) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    const int n = ROWS * COLUMNS;
    static int host[n], got[n];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, sizeof host));
    sums<<<BLOCKS, COLUMNS>>>(map_of(out, ROWS, COLUMNS, BOX, COLUMNS));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != BLOCKS * (i / COLUMNS) + BLOCKS * (BLOCKS - 1) / 2;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
