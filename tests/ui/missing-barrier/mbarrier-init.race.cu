//@ lens-ptx: race
//@ class: missing-barrier
// One thread initialises an mbarrier, at which all threads of the block then meet.
// The bug: nothing makes the others wait until it is initialised. The clean twin has __syncthreads() there. Engine guard
// checks loads and stores, not mbarrier objects.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

constexpr int N = 64;

__global__ void meet(int *out) {
    __shared__ int slot[N];
    __shared__ uint64_t met;
    int t = threadIdx.x, done = 0;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared_address(&met)) : "memory"); //~ RACE(1) RACE(2)
    slot[t] = t;
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(shared_address(&met)) : "memory"); //~ RACE(1)
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(shared_address(&met)) : "memory"); //~ RACE(2)
    out[t] = slot[N - 1 - t];
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    meet<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
