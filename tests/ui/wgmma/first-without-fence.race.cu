//@ lens-ptx: race
//@ class: wgmma-registers
//@ nvcc: -gencode arch=compute_90a,code=compute_90a
// A single product.
// The bug: no `wgmma.fence` lies before it. The clean twin has one.
#include "../support/wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    int t = threadIdx.x;
    for (int k = 0; k < DEPTH / 2; ++k) a[place_in_tile(t / 2, t % 2 * 8 + k)] = half_of(factor_a(t / 2, t % 2 * 8 + k, 0));
    b[place_in_tile(t / DEPTH, t % DEPTH)] = half_of(factor_b(t / DEPTH, t % DEPTH, 0));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)) : "memory"); //~ RACE(1) RACE(1)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    store_result(out, d);
}

int main() {
    static float got[ROWS * COLUMNS];
    float *out;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    multiply<<<1, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = count_wrong(got, 1);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
