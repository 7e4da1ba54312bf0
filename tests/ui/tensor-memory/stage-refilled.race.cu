//@ lens-ptx: race
//@ advice: its clean twin has the commit behind the product
//@ class: async-copy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// One thread copies the tiles of A into a stage, another one multiplies them. The stage goes back by a commit.
// The bug: the commit comes before the product, and tracks the one before. The clean twin commits behind the product.
#include "../support/tcgen05.h"

constexpr int STEPS = 3;
__device__ uint16_t tiles[STEPS][ROWS * DEPTH];

static __device__ __forceinline__ void expect_bytes(uint64_t *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__global__ void multiply(uint32_t *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[STEPS][COLUMNS * DEPTH];
    __shared__ uint32_t place;
    __shared__ uint64_t full, empty, done;
    if (threadIdx.x < 32) ALLOCATE(&place);
    if (threadIdx.x == 0) {
        init_barrier(&full);
        init_barrier(&empty);
        init_barrier(&done);
    }
    for (int step = 0; step < STEPS; ++step) fill_b(b[step], step);
    ASYNC_FENCE();
    __syncthreads();
    uint32_t address = place, value;
    if (threadIdx.x == THREADS)
        for (int step = 0; step < STEPS; ++step) {
            if (step > 0) await(&empty, (step - 1) % 2);
            expect_bytes(&full, sizeof a);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(a)), "l"(tiles[step]), "r"(int(sizeof a)), "r"(shared_address(&full)) : "memory"); //~ RACE(1) RACE(2) RACE(2)
        }
    if (threadIdx.x == 0) {
        for (int step = 0; step < STEPS; ++step) {
            await(&full, step % 2);
            COMMIT(&empty);
            MULTIPLY(address, a, b[step], step); //~ RACE(1)
        }
        COMMIT(&done);
    }
    if (threadIdx.x < THREADS) {
        await(&done, 0);
        LOAD(value, own_lanes(address));
        WAIT_LOAD();
        out[threadIdx.x] = value;
    }
    __syncthreads();
    if (threadIdx.x < 32) DEALLOCATE(address);
}

int main() {
    static uint16_t host[STEPS][ROWS * DEPTH];
    for (int step = 0; step < STEPS; ++step)
        for (int i = 0; i < ROWS * DEPTH; ++i)
            host[step][place_in_tile(i / DEPTH, i % DEPTH)] = half_of(factor_a(i / DEPTH, i % DEPTH, step));
    CHECK(cudaMemcpyToSymbol(tiles, host, sizeof host));
    return count_wrong(multiply, THREADS + 32, [](int row) { return bits_of(float(expected(row, 0, STEPS))); });
}
//@ arch: 100
//@ engine-guard: race
