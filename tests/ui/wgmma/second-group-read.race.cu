//@ lens-ptx: race
//@ class: wgmma-registers
//@ nvcc: -gencode arch=compute_90a,code=compute_90a
// Two groups of products, of which the first is used while the second goes on.
// The bug: the second is used, too, before it is waited for. The clean twin waits for it first.
#include "../support/wgmma.h"

__global__ void multiply(float *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    int t = threadIdx.x;
    for (int k = 0; k < DEPTH / 2; ++k) a[place_in_tile(t / 2, t % 2 * 8 + k)] = half_of(factor_a(t / 2, t % 2 * 8 + k, 0));
    b[place_in_tile(t / DEPTH, t % DEPTH)] = half_of(factor_b(t / DEPTH, t % DEPTH, 0));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {}, e[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3]) : "l"(descriptor(a)), "l"(descriptor(b)) : "memory"); //~ RACE(1)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    float first = d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3];
    out[t] = (first + e[0] + 2 * e[1] + 3 * e[2] + 4 * e[3]) / 2; //~ RACE(1)
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

int main() {
    static float got[ROWS * COLUMNS];
    float *out;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    multiply<<<1, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = count_wrong_sums(got);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
