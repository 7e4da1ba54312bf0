//@ lens-ptx: race
//@ class: divergent-warp
// Lanes compact their positive numbers: a ballot gives each its place.
// The bug: the ballot is taken for a barrier. Votes exchange a predicate and order no
// memory. The clean twin has __syncwarp() before the compacted list is read.
#include "../support/check.h"

__global__ void compact(const int *in, int *out, int *count) {
    __shared__ int list[32];
    int lane = threadIdx.x;
    int value = in[lane];
    unsigned before = (1u << lane) - 1;
    unsigned keep = __ballot_sync(~0u, value > 0);
    if (value > 0)
        list[__popc(keep & before)] = value; //~ RACE(1)
    int kept = __popc(__ballot_sync(~0u, value > 0));
    if (lane < kept) {
        int item = list[kept - 1 - lane]; //~ RACE(1)
        out[lane] = item;
    }
    if (lane == 0) *count = kept;
}

int main() {
    int host[32], got[32], count, *in, *out, *kept, wrong = 0;
    for (int i = 0; i < 32; ++i) host[i] = i % 3 ? i : -i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&kept, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    compact<<<1, 32>>>(in, out, kept);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, kept, sizeof count, cudaMemcpyDeviceToHost));
    for (int i = 0, k = count; i < 32; ++i)
        if (i % 3) wrong += got[--k] != i;
    std::printf("%d kept, %d wrong\n", count, wrong);
    return wrong != 0 || count != 21;
}
//@ engine-guard: race
