//@ lens-ptx: race
//@ class: missing-fence
// A block of a cluster hands a value to its peer by a flag.
// The bug: fence.mbarrier_init orders mbarrier.init and no other access. The clean twin has a fence for all of them.
#include "../support/check.h"

__global__ void __cluster_dims__(2, 1, 1) hand_over(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; //~ RACE(1)
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("st.relaxed.cluster.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (!seen) asm volatile("ld.acquire.cluster.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        *out = *data; //~ RACE(1)
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
//@ engine-guard: race
