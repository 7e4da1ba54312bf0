// A bulk copy out of shared memory: the thread fills a tile and copies it to global memory. The copy reads the
// tile through the async proxy, behind a fence of that proxy.
#include "../ui/support/check.h"

__global__ void publish(unsigned *out) {
    __shared__ alignas(128) volatile unsigned tile[4];
    tile[0] = 1;
    tile[0] = 42;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(const_cast<unsigned *>(tile)));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(out), "r"(from) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

int main() {
    unsigned *memory, host;
    CHECK(cudaMalloc(&memory, 16));
    CHECK(cudaMemset(memory, 0, 16));
    publish<<<1, 1>>>(memory);
    CHECK(cudaMemcpy(&host, memory, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("got %u\n", host);
    return 0;
}
