//@ lens-ptx: clean
// Lanes exchange what they have read.
// Clean: the mask of the shuffle names all lanes.
#include "../support/check.h"

__global__ void mirror(const int *in, int *out) {
    int lane = threadIdx.x, mine = in[lane];
    out[lane] = __shfl_xor_sync(~0u, mine, 31);
}

int main() {
    int host[64], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < 64; ++i) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != (host[31 - i]);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
