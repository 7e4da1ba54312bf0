//@ lens-ptx: race
//@ class: same-instruction
// Lanes mark bytes of a shared flag array.
// The bug: two lanes share a byte. In the clean twin each has a byte of its own, four
// of which lie in one word: neighbours in a word do not race.
#include "../support/check.h"

__global__ void mark(const int *in, int *out) {
    __shared__ unsigned char flags[32];
    int lane = threadIdx.x;
    flags[lane / 2] = in[lane] & 1; //~ RACE(1) RACE(1)
    __syncwarp();
    out[lane] = flags[lane / 2];
}

int main() {
    int host[32], got[32], *in, *out, wrong = 0;
    for (int i = 0; i < 32; ++i) host[i] = i * i + i / 3;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mark<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (host[i] & 1);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
