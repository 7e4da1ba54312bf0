//@ lens-ptx: race
//@ class: async-copy
//@ nvcc: -gencode arch=compute_90a,code=compute_90a
// A warpgroup multiplies a sparse A twice, the second time with another second half of B's rows.
// The bug: that half is filled while the first product may still read it. The clean twin waits for the product.
#include "../support/wgmma.h"

constexpr int WIDE = 2 * DEPTH, HALF = COLUMNS * DEPTH;

// B has four blocks of 8 columns by 16 bytes; of each four elements of a column, A has the third and the fourth.
__host__ __device__ int value(int at, int step) { return (at % 8 + at / 8 % 8 + at / 64 + step) % 3; }
__host__ __device__ int place_of(int column, int k) { return k / 8 * 64 + column * 8 + k % 8; }

__global__ void multiply(float *out) {
    __shared__ alignas(128) uint16_t a[ROWS * DEPTH], b[COLUMNS * WIDE];
    float d[4] = {};
    int t = threadIdx.x;
    for (int k = 0; k < DEPTH / 2; ++k)
        a[place_in_tile(t / 2, t % 2 * 8 + k)] = half_of(factor_a(t / 2, t % 2 * 8 + k, 0));
    b[t] = half_of(value(t, 0));
    b[HALF + t] = half_of(value(HALF + t, 0));
    for (int step = 0; step < 2; ++step) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 0, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)), "r"(0xeeeeeeee) : "memory"); //~ RACE(1)
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (step == 0) b[HALF + t] = half_of(value(HALF + t, 1)); //~ RACE(1)
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    store_result(out, d);
}

int main() {
    static float got[ROWS * COLUMNS];
    float *out;
    CHECK(cudaMalloc(&out, sizeof got));
    multiply<<<1, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < ROWS; ++row)
        for (int column = 0; column < COLUMNS; ++column) {
            int sum = 0;
            for (int step = 0; step < 2; ++step)
                for (int k = 0; k < DEPTH; ++k) {
                    int at = place_of(column, k / 2 * 4 + 2 + k % 2);
                    sum += factor_a(row, k, 0) * value(at, at < HALF ? 0 : step);
                }
            wrong += got[row * COLUMNS + column] != float(sum);
        }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
