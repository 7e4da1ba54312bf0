//@ lens-ptx: race
//@ class: inter-block
//@ nvcc: -rdc=true
//@ aux: ../support/store.cu
// The kernel calls a function of another source file, linked as relocatable device code.
// The bug: all blocks have it store to one place. In the clean twin each has its own.
#include "../support/check.h"

__device__ int load_value(const int *from);

__global__ void copy_last(const int *in, int *out) {
    if (threadIdx.x == 0) {
        int value = load_value(&in[blockIdx.x]);
        out[0] = value; //~ RACE(1) RACE(1)
    }
}

int main() {
    int host[3] = {5, 6, 7}, got[3], *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy_last<<<3, 32>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got[0]);
    return got[0] != 10;
}
//@ engine-collide: race
