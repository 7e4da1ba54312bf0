//@ lens-ptx: clean
// One thread initialises an mbarrier, at which all threads of the block then meet. A relaxed barrier of the cluster is between.
// Clean: fence.mbarrier_init publishes the object at that barrier. The block is a cluster of its own.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

constexpr int THREADS = 64;

__global__ void meet(int *out) {
    __shared__ uint64_t ready;
    uint32_t object = shared_address(&ready);
    int t = threadIdx.x, done = 0;
    if (t == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(object) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(object) : "memory");
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(object) : "memory");
    out[t] = done;
}

int main() {
    int got[THREADS], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    meet<<<1, THREADS>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; ++i) wrong += got[i] != 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
