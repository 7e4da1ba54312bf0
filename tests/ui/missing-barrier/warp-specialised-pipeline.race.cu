//@ lens-ptx: race
//@ class: missing-barrier
// A producer warp and a consumer warp share one buffer through two named barriers,
// "full" and "empty", over several rounds.
// The bug: the consumer reports "empty" before it has read the buffer, so the next
// round overwrites it. The clean twin reports it afterwards.
#include "../support/check.h"

constexpr int WARP = 32, FULL = 1, EMPTY = 2;

__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }
__device__ void await(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }

__global__ void pipeline(const int *in, int *out, int rounds) {
    __shared__ int buffer[WARP];
    int lane = threadIdx.x % WARP;
    if (threadIdx.x < WARP) {
        for (int r = 0; r < rounds; ++r) {
            await(EMPTY);
            buffer[lane] = in[r * WARP + lane]; //~ RACE(1)
            arrive(FULL);
        }
        await(EMPTY);
    } else {
        int sum = 0;
        arrive(EMPTY);
        for (int r = 0; r < rounds; ++r) {
            await(FULL);
            arrive(EMPTY);
            int value = buffer[WARP - 1 - lane]; //~ RACE(1)
            sum += value;
        }
        out[blockIdx.x * WARP + lane] = sum;
    }
}

int main() {
    const int rounds = 6, n = rounds * WARP, blocks = 2;
    int host[n], got[blocks * WARP], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pipeline<<<blocks, 2 * WARP>>>(in, out, rounds);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * WARP; ++i) {
        int want = 0;
        for (int r = 0; r < rounds; ++r) want += host[r * WARP + WARP - 1 - i % WARP];
        wrong += got[i] != want;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-collide: race
//@ engine-guard: race
