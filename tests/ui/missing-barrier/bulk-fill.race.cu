//@ lens-ptx: race
//@ class: missing-barrier
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// One thread clears the bins of a histogram by st.bulk.
// The bug: the others count before the barrier that the clean twin has.
#include "../support/check.h"
#include <cstdint>

constexpr int BINS = 64, THREADS = 128;

__global__ void histogram(const int *in, int *out) {
    __shared__ alignas(16) int bins[BINS];
    int t = threadIdx.x;
    if (t == 0) asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(uint32_t(__cvta_generic_to_shared(bins))), "l"(uint64_t(sizeof bins)) : "memory"); //~ RACE(1)
    atomicAdd(&bins[in[t]], 1); //~ RACE(1)
    __syncthreads();
    if (t < BINS) out[t] = bins[t];
}

int main() {
    static int host[THREADS], got[BINS], want[BINS];
    int *in, *out, wrong = 0;
    for (int i = 0; i < THREADS; ++i) ++want[host[i] = i * 7 % BINS];
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    histogram<<<1, THREADS>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BINS; ++i) wrong += got[i] != want[i];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 100
