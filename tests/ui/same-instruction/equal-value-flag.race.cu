//@ lens-ptx: hazard
//@ class: same-instruction
// A warp looks for a negative number and raises a flag if there is one.
// The hazard: several lanes store the same 1. The memory model has no exemption for equal
// values, CUDA defines that one write happens. The clean twin raises the flag with an atomic.
#include "../support/check.h"

__global__ void find_negative(const int *in, int *found) {
    if (in[threadIdx.x] < 0)
        *found = 1; //~ HAZARD(1) HAZARD(1)
}

int main() {
    int host[32], got, *in, *found;
    for (int i = 0; i < 32; ++i) host[i] = i % 8 == 3 ? -i : i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&found, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(found, 0, sizeof(int)));
    find_negative<<<1, 32>>>(in, found);
    CHECK(cudaMemcpy(&got, found, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s\n", got ? "found" : "none");
    return got != 1;
}
//@ engine-collide: unseen
