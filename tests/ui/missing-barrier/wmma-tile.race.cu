//@ lens-ptx: race
//@ class: missing-barrier
// One warp stages the left matrix in shared memory, another multiplies with wmma.
// The bug: no barrier between, so the fragment may be loaded from a half-filled tile.
// The clean twin has it.
#include "../support/check.h"
#include <mma.h>

using namespace nvcuda;

__global__ void multiply(const half *a, const half *b, float *c) {
    __shared__ alignas(32) half tile[16 * 16];
    int t = threadIdx.x;
    if (t >= 32) {
        for (int i = t - 32; i < 256; i += 32) {
            half x = a[i];
            tile[i] = x; //~ RACE(1)
        }
    }
    if (t < 32) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
        wmma::fill_fragment(fc, 0.0f);
        wmma::load_matrix_sync(fb, b, 16);
        wmma::load_matrix_sync(fa, tile, 16); //~ RACE(1)
        wmma::mma_sync(fc, fa, fb, fc);
        wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    }
}

int main() {
    half host[256], *a, *b;
    float got[256], *c;
    int wrong = 0;
    for (int i = 0; i < 256; ++i) host[i] = __float2half(i / 16 == i % 16 ? 2.0f : 0.0f);
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&c, sizeof got));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    multiply<<<1, 64>>>(a, b, c);
    CHECK(cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; ++i) wrong += got[i] != (i / 16 == i % 16 ? 4.0f : 0.0f);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
