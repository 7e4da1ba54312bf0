//@ lens-ptx: race
//@ class: divergent-warp
// One elected lane publishes a parameter to its warp through shared memory.
// The bug: elect.sync picks a lane; it orders no memory, before or after. The clean
// twin has __syncwarp() before the others read.
#include "../support/check.h"

__device__ bool elected() {
    unsigned yes;
    asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(yes));
    return yes;
}

__global__ void publish(const int *parameter, int *out) {
    __shared__ int shared_parameter;
    bool chosen = elected();
    if (chosen)
        shared_parameter = parameter[blockIdx.x]; //~ RACE(1)
    int p = 0;
    if (!chosen)
        p = shared_parameter; //~ RACE(1)
    out[blockIdx.x * 32 + threadIdx.x] = p;
}

int main() {
    int host[2] = {17, 23}, got[64], *parameter, *out, sum = 0;
    CHECK(cudaMalloc(&parameter, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(parameter, host, sizeof host, cudaMemcpyHostToDevice));
    publish<<<2, 32>>>(parameter, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : got) sum += v;
    std::printf("%d\n", sum);
    return sum != 31 * (17 + 23);
}
//@ arch: 90
//@ engine-guard: race
