//@ lens-ptx: clean
// A block of a cluster hands a value to its peer by a flag.
// Clean: fence.acq_rel orders all accesses of its thread before the flag.
#include "../support/check.h"

__global__ void __cluster_dims__(2, 1, 1) hand_over(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        asm volatile("st.relaxed.cluster.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (!seen) asm volatile("ld.acquire.cluster.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        *out = *data;
    }
}

int main() {
    int *memory, got = 0;
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    hand_over<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, memory + 2, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 42;
}
//@ arch: 90
