//@ lens-ptx: clean
// A kernel that is launched without clusters: each block is a cluster of its own, which cluster.sync() holds together.
// The bug: nothing lies between the write and the reads.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void reverse(const int *in, int *out) {
    __shared__ int s[96];
    int t = threadIdx.x, base = blockIdx.x * 96;
    s[t] = in[base + t];
    cg::this_cluster().sync();
    out[base + t] = s[95 - t];
}

int main() {
    const int n = 2 * 96;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<2, 96>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 96 * 96 + 95 - i % 96;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
