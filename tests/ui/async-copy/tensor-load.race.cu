//@ lens-ptx: race
//@ class: async-copy
// One thread fetches a box of a matrix by a tensor map.
// The bug: the block meets at __syncthreads(), which does not wait for the copy. The
// clean twin waits for the mbarrier's phase.
#include "../support/tensor.h"

constexpr int ROWS = 16, COLUMNS = 64, BOX = 8;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[BOX][COLUMNS];
    __shared__ uint64_t loaded;
    int t = threadIdx.x, first = blockIdx.x * BOX;
    if (t == 0) {
        init_barrier(&loaded, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect_bytes(&loaded, sizeof tile);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_pointer(tile)), "l"(&map), "r"(0), "r"(first), "r"(shared_pointer(&loaded)) : "memory"); //~ RACE(1)
    }
    __syncthreads();
    int value = tile[t % BOX][t]; //~ RACE(1)
    out[first * COLUMNS + t] = value;
    phase_wait(&loaded, 0); // so that the copy does not outlive the block
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
    copy<<<ROWS / BOX, COLUMNS>>>(map_of(in, ROWS, COLUMNS, BOX, COLUMNS), out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROWS / BOX * COLUMNS; ++i) {
        int block = i / COLUMNS, t = i % COLUMNS;
        wrong += got[block * BOX * COLUMNS + t] != (block * BOX + t % BOX) * COLUMNS + t;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
