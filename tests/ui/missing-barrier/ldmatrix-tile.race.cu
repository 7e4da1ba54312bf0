//@ lens-ptx: race
//@ class: missing-barrier
// One warp stages an 8x8 matrix of halves, another loads it with ldmatrix.
// The bug: no barrier between. ldmatrix is a read of shared memory by all lanes. The
// clean twin has the barrier.
#include "../support/check.h"
#include <cstdint>

__global__ void load_matrix(const uint16_t *in, uint32_t *out) {
    __shared__ alignas(16) uint16_t tile[64];
    int t = threadIdx.x, lane = t % 32;
    if (t >= 32) {
        tile[lane] = in[lane]; //~ RACE(1)
        tile[lane + 32] = in[lane + 32]; //~ RACE(2)
    }
    if (t < 32) {
        uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[lane % 8 * 8]));
        uint32_t pair;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(pair) : "r"(row) : "memory"); //~ RACE(1) RACE(2)
        out[lane] = pair;
    }
}

int main() {
    uint16_t host[64], *in;
    uint32_t got[32], *out;
    int wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    load_matrix<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; ++i) wrong += got[i] != (2 * i | (2 * i + 1) << 16);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
