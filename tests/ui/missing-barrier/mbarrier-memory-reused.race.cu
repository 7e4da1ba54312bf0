//@ lens-ptx: race
//@ class: missing-barrier
// All threads meet at an mbarrier, and then one of them uses its memory for something else.
// The bug: the others may still be looking at the object. The clean twin has a barrier before, and invalidates the object.
// Engine guard checks loads and stores, not mbarrier objects.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

constexpr int N = 64;

__global__ void meet(int *out) {
    __shared__ int slot[N];
    __shared__ union { uint64_t met; int word[2]; } shared;
    int t = threadIdx.x, done = 0;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared_address(&shared.met)) : "memory");
    __syncthreads();
    slot[t] = t;
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(shared_address(&shared.met)) : "memory");
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(shared_address(&shared.met)) : "memory"); //~ RACE(1)
    if (t == 0) shared.word[1] = 1000; //~ RACE(1)
    __syncthreads();
    out[t] = slot[N - 1 - t] + shared.word[1];
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    meet<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 1000 + N - 1 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: unseen
