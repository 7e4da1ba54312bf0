//@ lens-ptx: race
//@ class: divergent-warp
// Odd and even lanes exchange registers by shuffles in two branches, which PTX allows.
// The bug: shuffles order no memory, wherever they are. The clean twin has a __syncwarp().
#include <cstdio>

__global__ void exchange(int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x;
    slot[lane] = 100 + lane;                 //~ RACE(1)
    int other;
    // The two branches are not one, because the compiler cannot look into them.
    if (lane & 1)
        asm volatile("{ // odd\n shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;\n}" : "=r"(other) : "r"(lane));
    else
        asm volatile("{ // even\n shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;\n}" : "=r"(other) : "r"(2 * lane));
    out[lane] = slot[lane ^ 1] + 1000 * other;  //~ RACE(1)
}

int main() {
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    exchange<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        int other = i ^ 1;
        if (host[i] != 100 + other + 1000 * (other & 1 ? other : 2 * other)) {
            printf("lane %d: %d\n", i, host[i]);
            return 1;
        }
    }
    return 0;
}
//@ engine-guard: race
