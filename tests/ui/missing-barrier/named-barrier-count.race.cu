//@ lens-ptx: race
//@ class: missing-barrier
// Two of three warps prepare a table; all three use it.
// The bug: the barrier counts only the 64 preparing threads, the third warp goes on
// without them. In the clean twin it takes part, and the barrier counts 96.
#include "../support/check.h"

__global__ void prepare_and_use(const int *in, int *out) {
    __shared__ int table[64];
    int t = threadIdx.x;
    if (t < 64) {
        table[t] = in[t] * 2; //~ RACE(1)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    int entry = 0;
    if (t >= 64)
        entry = table[t - 64] + table[t - 32]; //~ RACE(1)
    out[blockIdx.x * 96 + t] = entry;
}

int main() {
    int host[64], got[192], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    prepare_and_use<<<2, 96>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 192; ++i) {
        int t = i % 96;
        wrong += got[i] != (t < 64 ? 0 : 2 * (t - 64) + 2 * (t - 32));
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
