//@ lens-ptx: race
//@ class: missing-barrier
// Two phases of a kernel share their temporary storage in a union, as libraries do.
// The bug: no barrier before the storage is used again, so the second phase writes
// over what a slower warp still reads. The clean twin has the barrier.
#include "../support/check.h"

constexpr int THREADS = 64;

union Storage {
    int exchange[THREADS];
    float weights[THREADS];
};

__global__ void two_phases(const int *in, float *out) {
    __shared__ Storage storage;
    int t = threadIdx.x;
    storage.exchange[t] = in[t];
    __syncthreads();
    int mine = storage.exchange[t ^ 32]; //~ RACE(1)
    storage.weights[t] = mine * 0.5f; //~ RACE(1)
    __syncthreads();
    out[blockIdx.x * THREADS + t] = storage.weights[THREADS - 1 - t];
}

int main() {
    const int blocks = 2;
    int host[THREADS], *in, wrong = 0;
    float got[blocks * THREADS], *out;
    for (int i = 0; i < THREADS; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    two_phases<<<blocks, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * THREADS; ++i)
        wrong += got[i] != 0.5f * ((THREADS - 1 - i % THREADS) ^ 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
