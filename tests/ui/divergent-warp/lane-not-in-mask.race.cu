//@ lens-ptx: race
//@ class: divergent-warp
// Each lane hands a number to the one before it, with a __syncwarp() between.
// Race: the mask names one lane too few; PTX promises nothing to lanes that are not named.
#include "../support/check.h"

__global__ void shift(const int *in, int *out) {
    __shared__ int numbers[17];
    int t = threadIdx.x;
    if (t > 16) return;
    numbers[t] = in[t]; //~ RACE(1)
    __syncwarp(0xffff); //~ HAZARD(9) HAZARD(9)
    if (t < 16)
        out[t] = numbers[t + 1]; //~ RACE(1)
}

int main() {
    int host[17], *in, *out;
    for (int i = 0; i < 17; i++) host[i] = i * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 16 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    shift<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(host, out, 16 * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 16; i++) right &= host[i] == (i + 1) * (i + 1);
    std::printf("%d %d\n", host[0], host[15]);
    return !right;
}
//@ engine-guard: race
//@ class(9): mask-without-caller
