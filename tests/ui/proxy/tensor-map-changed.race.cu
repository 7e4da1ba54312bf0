//@ lens-ptx: race
//@ class: proxy
//@ nvcc: -gencode arch=compute_90a,code=compute_90a
// A kernel makes a tensor map in global memory, changes its address and copies by it.
// The bug: copies read the map through a proxy of its own, for which no fence makes the
// change visible. The clean twin has the two halves of that fence.
#include "../support/tensor.h"

constexpr int ROWS = 16, COLUMNS = 64, BOX = 8;

__global__ void second(const __grid_constant__ CUtensorMap given, CUtensorMap *map, const int *matrix, int *out) {
    __shared__ alignas(128) int tile[BOX][COLUMNS];
    __shared__ uint64_t loaded;
    int t = threadIdx.x;
    if (t < 32) reinterpret_cast<int *>(map)[t] = reinterpret_cast<const int *>(&given)[t]; //~ RACE(2)
    __syncthreads();
    if (t == 0) {
        init_barrier(&loaded, 1);
        asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(matrix + BOX * COLUMNS) : "memory"); //~ RACE(1)
        expect_bytes(&loaded, sizeof tile);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_pointer(tile)), "l"(map), "r"(0), "r"(0), "r"(shared_pointer(&loaded)) : "memory"); //~ RACE(1) RACE(2)
    }
    __syncthreads();
    phase_wait(&loaded, 0);
    for (int row = 0; row < BOX; ++row) out[row * COLUMNS + t] = tile[row][t];
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
    CUtensorMap *map;
    CHECK(cudaMalloc(&map, sizeof *map));
    second<<<1, COLUMNS>>>(map_of(in, BOX, COLUMNS, BOX, COLUMNS), map, in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BOX * COLUMNS; ++i) wrong += got[i] != i + BOX * COLUMNS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
