//@ lens-ptx: race
//@ class: proxy
// A block fills a tile and copies it to global memory in bulk.
// The bug: the fence between the two proxies is behind the copy. The clean twin has it before the barrier.
#include "../support/pipeline.h"

constexpr int COUNT = 64;

__global__ void store(int *out) {
    __shared__ alignas(128) int tile[COUNT];
    tile[threadIdx.x] = 7 * threadIdx.x; //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(shared_address(tile)), "r"(int(sizeof tile)) : "memory"); //~ RACE(1)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    static int got[COUNT];
    int *out;
    CHECK(cudaMalloc(&out, sizeof got));
    store<<<1, COUNT>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < COUNT; ++i) wrong += got[i] != 7 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
