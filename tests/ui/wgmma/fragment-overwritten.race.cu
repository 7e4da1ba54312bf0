//@ lens-ptx: race
//@ class: wgmma-registers
//@ nvcc: -gencode arch=compute_90a,code=compute_90a
// A comes from registers, which are set anew for each step.
// The bug: the last product may still read them, since the wait lets it go on. The clean twin waits for it.
#include "../support/wgmma.h"

constexpr int STEPS = 3;

__global__ void multiply(float *out) {
    __shared__ alignas(128) uint16_t b[STEPS][COLUMNS * DEPTH];
    int t = threadIdx.x;
    for (int step = 0; step < STEPS; ++step)
        b[step][place_in_tile(t / DEPTH, t % DEPTH)] = half_of(factor_b(t / DEPTH, t % DEPTH, step));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    uint32_t a[4];
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < 4; ++i)
            asm volatile("add.u32 %0, %1, 0;" : "=r"(a[i]) : "r"(pair_of_a(t, i, step))); //~ RACE(1)
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b[step])) : "memory"); //~ RACE(1)
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    }
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
    int wrong = count_wrong(got, STEPS);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
