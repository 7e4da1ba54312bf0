//@ lens-ptx: race
//@ class: missing-barrier
// One warp stages float4 vectors, another reads single components of them.
// The bug: no barrier between. The accesses have different sizes; they conflict in the
// four bytes they share. The clean twin has the barrier.
#include "../support/check.h"

__global__ void pick_components(const float4 *in, float *out) {
    __shared__ float4 stage[32];
    int t = threadIdx.x;
    if (t < 32)
        stage[t] = in[blockIdx.x * 32 + t]; //~ RACE(1)
    if (t >= 32) {
        const float *flat = reinterpret_cast<const float *>(stage);
        float picked = flat[4 * (t - 32) + 2]; //~ RACE(1)
        out[blockIdx.x * 32 + t - 32] = picked;
    }
}

int main() {
    const int n = 64;
    float4 host[n], *in;
    float got[n], *out;
    int wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pick_components<<<2, 64>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i + 0.5f;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
