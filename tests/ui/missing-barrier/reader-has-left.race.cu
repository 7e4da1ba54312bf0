//@ lens-ptx: race
//@ class: missing-barrier
// One warp adds up the halves of a tile and is done; the other one goes on to double its half.
// The bug: that the first warp has left does not mean that the second one was behind it. The clean twin has a barrier before.
#include "../support/check.h"

__global__ void sums_and_doubles(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, base = blockIdx.x * 64;
    s[t] = in[base + t];
    __syncthreads();
    if (t < 32) {
        out[base + t] = s[t] + s[t + 32]; //~ RACE(1)
        return;
    }
    s[t] *= 2; //~ RACE(1)
    __syncwarp();
    out[base + t] = s[95 - t];
}

int main() {
    const int n = 2 * 64;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sums_and_doubles<<<2, 64>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        int t = i % 64, base = i - t;
        wrong += got[i] != (t < 32 ? 2 * base + 2 * t + 32 : 2 * (base + 95 - t));
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
