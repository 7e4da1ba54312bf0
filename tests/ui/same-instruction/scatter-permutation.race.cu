//@ lens-ptx: race
//@ class: same-instruction
// A warp scatters its numbers by an index list that the host made.
// The bug is in the host's list: it has an index twice, so two lanes write one
// element. The kernel of the clean twin is the same, its list is a permutation.
#include "../support/check.h"

__global__ void scatter(const int *in, const int *where, int *out) {
    int lane = threadIdx.x;
    out[where[lane]] = in[lane]; //~ RACE(1) RACE(1)
}

int main() {
    int numbers[32], list[32], got[32], *in, *where, *out, wrong = 0;
    for (int i = 0; i < 32; ++i) {
        numbers[i] = 100 + i;
        list[i] = i * 6 % 32;
    }
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&where, sizeof list));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(where, list, sizeof list, cudaMemcpyHostToDevice));
    scatter<<<1, 32>>>(in, where, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[list[i]] != numbers[i];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
