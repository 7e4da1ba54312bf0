//@ lens-ptx: race
//@ class: async-copy
// One tile is filled and copied out by a tensor map again and again.
// The bug: the wait lets the last copy still read the tile while it is filled anew. The
// clean twin waits for all copies.
#include "../support/tensor.h"

constexpr int ROWS = 16, COLUMNS = 64, BOX = 8;

__global__ void fill(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[BOX][COLUMNS];
    int t = threadIdx.x;
    for (int first = 0; first < ROWS; first += BOX) {
        for (int row = 0; row < BOX; ++row)
            tile[row][t] = first + row + t; //~ RACE(1)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(first), "r"(shared_pointer(tile)) : "memory"); //~ RACE(1)
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        __syncthreads();
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
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
    fill<<<1, COLUMNS>>>(map_of(out, ROWS, COLUMNS, BOX, COLUMNS));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / COLUMNS + i % COLUMNS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
