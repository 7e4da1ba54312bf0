//@ lens-ptx: race
//@ class: divergent-warp
// A warp walks over a row in pieces and reuses one shared buffer for each.
// The bug: one __syncwarp() a round is not enough, the next piece is stored while
// other lanes still read the last. The clean twin has the second.
#include "../support/check.h"

__global__ void mirrored_sums(const int *row, int *out, int pieces) {
    __shared__ int piece[32];
    int lane = threadIdx.x, sum = 0;
    for (int k = 0; k < pieces; ++k) {
        piece[lane] = row[k * 32 + lane]; //~ RACE(1)
        __syncwarp();
        int mirrored = piece[31 - lane]; //~ RACE(1)
        sum = 3 * sum + mirrored;
    }
    out[blockIdx.x * 32 + lane] = sum;
}

int main() {
    const int pieces = 4, n = pieces * 32;
    int host[n], got[64], *row, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&row, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(row, host, sizeof host, cudaMemcpyHostToDevice));
    mirrored_sums<<<2, 32>>>(row, out, pieces);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) {
        int want = 0;
        for (int k = 0; k < pieces; ++k) want = 3 * want + k * 32 + 31 - i % 32;
        wrong += got[i] != want;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
