//@ lens-ptx: race
//@ class: proxy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Blocks take over the work of blocks that have not begun.
// The bug: a request overwrites the response behind a barrier alone. The clean twin has a proxy fence before the barrier.
#include "../support/tensor.h"

constexpr int TILES = 8, THREADS = 64;

__global__ void fill(int *out) {
    __shared__ alignas(16) uint4 response;
    __shared__ uint64_t answered;
    int tile = blockIdx.x, taken = 1, next = 0;
    if (threadIdx.x == 0) init_barrier(&answered, 1);
    __syncthreads();
    for (int phase = 0; taken; phase ^= 1) {
        if (threadIdx.x == 0) {
            expect_bytes(&answered, sizeof response);
            asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(shared_pointer(&response)), "r"(shared_pointer(&answered)) : "memory"); //~ RACE(1)
        }
        out[tile * THREADS + threadIdx.x] = tile;
        phase_wait(&answered, phase);
        asm volatile("{ .reg .pred p; .reg .b128 r; ld.shared.b128 r, [%2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r; selp.u32 %0, 1, 0, p; @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }" : "=r"(taken), "+r"(next) : "r"(shared_pointer(&response)) : "memory"); //~ RACE(1)
        tile = next;
        __syncthreads();
    }
}

int main() {
    static int got[TILES * THREADS];
    int *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    fill<<<TILES, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * THREADS; ++i) wrong += got[i] != i / THREADS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 100
//@ engine-guard: unseen
