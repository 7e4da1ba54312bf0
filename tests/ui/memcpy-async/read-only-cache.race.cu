//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A table is uploaded while a kernel looks things up in it with `__ldg()`.
// The bug: the kernel is on a stream that nothing orders with the copy's. The clean twin launches it
// on the copy's stream.
#include "../support/check.h"

constexpr int N = 64;

__global__ void look_up(const float4 *table, float *out) {
    float4 entry = __ldg(&table[threadIdx.x % N]); //~ RACE(1)
    out[threadIdx.x] = entry.x + entry.w;
}

int main() {
    float got[N];
    float4 *host, *table;
    float *out;
    int wrong = 0;
    cudaStream_t upload, work;
    CHECK(cudaMallocHost(&host, N * sizeof *host));
    CHECK(cudaMalloc(&table, N * sizeof *table));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    for (int i = 0; i < N; ++i) host[i] = make_float4(i, 0, 0, 1);
    CHECK(cudaMemcpyAsync(table, host, N * sizeof *host, cudaMemcpyHostToDevice, upload)); //~ RACE(1)
    look_up<<<1, N, 0, work>>>(table, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ advice: its clean twin launches the kernel into the stream of the copy
//@ engine-guard: race
