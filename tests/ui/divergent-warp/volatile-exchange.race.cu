//@ lens-ptx: hazard
//@ class: volatile-warp
// Lanes of a warp exchange words of shared memory by volatile accesses.
// The bug: since sm_70 lanes need not run in lockstep. By PTX it is no race, since volatile accesses are relaxed operations. The
// clean twin has __syncwarp(). Engines guard and collide do not look for it.
#include "../support/check.h"

constexpr int N = 64;

__global__ void turn(int *out) {
    __shared__ int slots[N];
    volatile int *slot = slots;
    int t = threadIdx.x, warp = t / 32 * 32, lane = t % 32;
    slot[t] = t; //~ HAZARD(1)
    out[t] = slot[warp + 31 - lane]; //~ HAZARD(1)
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    turn<<<1, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i / 32 * 32 + 31 - i % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
