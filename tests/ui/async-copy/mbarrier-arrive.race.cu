//@ lens-ptx: race
//@ class: async-copy
// One warp copies asynchronously and lets its copies arrive at an mbarrier; the other
// warp waits there and reads.
// The bug: the reader does not wait for the mbarrier. The clean twin does.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait_phase(uint64_t *barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__global__ void fetch(const int *in, int *out) {
    __shared__ int slot[32];
    __shared__ uint64_t copied;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(shared_address(&copied)) : "memory");
    __syncthreads();
    if (t < 32) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&slot[lane])), "l"(&in[blockIdx.x * 32 + lane]) : "memory"); //~ RACE(1)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&copied)) : "memory");
    } else {
        int value = slot[31 - lane]; //~ RACE(1)
        out[blockIdx.x * 32 + lane] = value;
    }
    wait_phase(&copied, 0);
}

int main() {
    const int n = 64;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    fetch<<<n / 32, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 32 * 32 + 31 - i % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
//@ engine-guard: race
//@ engine-collide: race
