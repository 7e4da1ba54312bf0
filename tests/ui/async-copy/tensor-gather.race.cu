//@ lens-ptx: race
//@ class: async-copy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// One thread gathers four rows of a matrix by a tensor map.
// The bug: the block meets at __syncthreads(), which does not wait for the rows. The clean twin waits for the mbarrier's phase.
#include "../support/tensor.h"

constexpr int ROWS = 16, COLUMNS = 64;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[4][COLUMNS];
    __shared__ uint64_t loaded;
    int t = threadIdx.x;
    if (t == 0) {
        init_barrier(&loaded, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect_bytes(&loaded, sizeof tile);
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_pointer(tile)), "l"(&map), "r"(0), "r"(9), "r"(2), "r"(9), "r"(13), "r"(shared_pointer(&loaded)) : "memory"); //~ RACE(1)
    }
    __syncthreads();
    out[t] = tile[t % 4][t]; //~ RACE(1)
    phase_wait(&loaded, 0); // so that the copy does not outlive the block
}

int main() {
    const int n = ROWS * COLUMNS, rows[] = {9, 2, 9, 13};
    static int host[n], got[COLUMNS];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy<<<1, COLUMNS>>>(map_of(in, ROWS, COLUMNS, 1, COLUMNS), out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < COLUMNS; ++t) wrong += got[t] != rows[t % 4] * COLUMNS + t;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 100
//@ engine-guard: race
