//@ lens-ptx: clean
// Lanes mark bytes of a shared flag array.
// Clean: four lanes write four bytes of one word; bytes are bytes and do not race.
#include "../support/check.h"

__global__ void mark(const int *in, int *out) {
    __shared__ unsigned char flags[32];
    int lane = threadIdx.x;
    flags[lane] = in[lane] & 1;
    __syncwarp();
    out[lane] = flags[lane];
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
