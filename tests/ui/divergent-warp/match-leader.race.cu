//@ lens-ptx: race
//@ class: divergent-warp
// Lanes with equal keys find each other; the first of them fetches a value for all.
// The bug: __match_any_sync() groups the lanes but does not order the leader's write
// with the others' reads. The clean twin waits for the group's mask.
#include "../support/check.h"

__device__ int table[4] = {11, 22, 33, 44};

__global__ void fetch_once(const int *keys, int *out) {
    __shared__ int fetched[4];
    int lane = threadIdx.x;
    int key = keys[lane];
    unsigned peers = __match_any_sync(~0u, key);
    int leader = __ffs(peers) - 1;
    if (lane == leader)
        fetched[key] = table[key]; //~ RACE(1)
    int value = 0;
    if (lane != leader)
        value = fetched[key]; //~ RACE(1)
    out[lane] = value;
}

int main() {
    int host[32], got[32], *keys, *out, wrong = 0;
    for (int i = 0; i < 32; ++i) host[i] = i % 4;
    CHECK(cudaMalloc(&keys, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
    fetch_once<<<1, 32>>>(keys, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 4; i < 32; ++i) wrong += got[i] != 11 * (i % 4 + 1);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
