//@ lens-ptx: clean
// Two warps look for a negative number and raise a flag if there is one.
// Clean: the flag is raised with an atomic.
#include "../support/check.h"

__global__ void find_negative(const int *in, int *found) {
    if (in[threadIdx.x] < 0)
        atomicExch(found, 1);
}

int main() {
    int host[64], got, *in, *found;
    for (int i = 0; i < 64; ++i) host[i] = i % 8 == 3 ? -i : i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&found, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(found, 0, sizeof(int)));
    find_negative<<<1, 64>>>(in, found);
    CHECK(cudaMemcpy(&got, found, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s\n", got ? "found" : "none");
    return got != 1;
}
