//@ lens-ptx: clean
// The first lane of each warp draws a ticket and fences; whoever draws the last one has the whole warp add up.
// The bug: only that lane has acquired what the others wrote, and a shuffle passes on no memory. The clean twin has a
// `__syncwarp()` behind the shuffle.
#include "../support/check.h"

constexpr int WARPS = 8, N = 32 * WARPS, BLOCKS = 8;

__global__ void within_a_block(int *out) {
    __shared__ int part[N];
    __shared__ int tickets;
    if (threadIdx.x == 0) tickets = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, last = 0;
    part[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (lane == 0) {
        __threadfence_block();
        last = atomicAdd(&tickets, 1) == WARPS - 1;
        __threadfence_block();
    }
    last = __shfl_sync(~0u, last, 0);
    __syncwarp();
    if (last) {
        int sum = 0;
        for (int w = 0; w < WARPS; ++w) {
            sum += part[w * 32 + lane];
        }
        out[lane] = sum;
    }
}

__global__ void within_a_grid(int *part, int *tickets, int *out) {
    int lane = threadIdx.x, last = 0;
    part[blockIdx.x * 32 + lane] = lane;
    __syncwarp();
    if (lane == 0) {
        __threadfence();
        last = atomicAdd(tickets, 1) == BLOCKS - 1;
        __threadfence();
    }
    last = __shfl_sync(~0u, last, 0);
    __syncwarp();
    if (last) {
        int sum = 0;
        for (int b = 0; b < BLOCKS; ++b) {
            sum += part[b * 32 + lane];
        }
        out[lane] = sum;
    }
}

int main() {
    int got[32], *part, *tickets, *out, wrong = 0;
    CHECK(cudaMalloc(&part, BLOCKS * 32 * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(tickets, 0, sizeof(int)));
    within_a_block<<<1, N>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != WARPS * i + 32 * WARPS * (WARPS - 1) / 2;
    within_a_grid<<<BLOCKS, 32>>>(part, tickets, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) wrong += got[i] != BLOCKS * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
