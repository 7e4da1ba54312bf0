//@ lens-ptx: race
//@ class: missing-barrier
// A producer warp fills one buffer twice for a consumer warp; mbarriers tell when the
// buffer is full and when it is empty again.
// The bug: the producer does not wait for "empty" before it fills the buffer again. The
// clean twin does.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void arrive(uint64_t *barrier) {
    asm volatile("{\n\t.reg .b64 s;\n\tmbarrier.arrive.shared.b64 s, [%0];\n\t}" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void await(uint64_t *barrier) {
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
}

__global__ void two_rounds(const int *in, int *out) {
    __shared__ int buffer[32];
    __shared__ uint64_t full[2], empty;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        init(&full[0]);
        init(&full[1]);
        init(&empty);
    }
    __syncthreads();
    if (t < 32) {
        for (int round = 0; round < 2; ++round) {
            buffer[lane] = in[round * 32 + lane]; //~ RACE(1)
            arrive(&full[round]);
        }
    } else {
        int sum = 0;
        for (int round = 0; round < 2; ++round) {
            await(&full[round]);
            int value = buffer[31 - lane]; //~ RACE(1)
            if (round == 0) arrive(&empty);
            sum = 100 * sum + value;
        }
        out[blockIdx.x * 32 + lane] = sum;
    }
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    two_rounds<<<2, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != 100 * (31 - i % 32) + 63 - i % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
