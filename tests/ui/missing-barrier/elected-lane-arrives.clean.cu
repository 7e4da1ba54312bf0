//@ lens-ptx: clean
// A warp loads weights for the others, and one of its lanes tells them by an mbarrier.
// Clean: that lane has met the others before it arrives.
#include "../support/check.h"
#include <cstdint>

__device__ uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void init(uint64_t *object, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(object)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t *object) {
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(object)) : "memory");
}

__device__ void wait(uint64_t *object) {
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(address(object)) : "memory");
    }
}

__global__ void weigh(const int *in, int *out) {
    __shared__ int weights[64];
    __shared__ uint64_t loaded;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) init(&loaded, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = lane; i < 64; i += 32) {
            weights[i] = in[i];
        }
        __syncwarp();
        if (lane == 0) arrive(&loaded);
    } else {
        wait(&loaded);
        int weight = weights[threadIdx.x - 32];
        out[threadIdx.x - 32] = 2 * weight;
    }
}

int main() {
    int host[64], got[64], *in, *out;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    weigh<<<1, 96>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
