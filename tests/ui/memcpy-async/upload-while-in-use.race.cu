//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// The next batch is uploaded while a kernel works on the last.
// The bug: into the same buffer. The clean twin has a second buffer.
#include "../support/check.h"

constexpr int N = 64;

__global__ void triple(const int *batch, int *out) {
    int value = batch[threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = 3 * value;
}

int main() {
    int *next, *batch, *out, got[N], wrong = 0;
    cudaStream_t work, upload;
    CHECK(cudaMallocHost(&next, N * sizeof(int)));
    CHECK(cudaMalloc(&batch, 2 * N * sizeof(int)));
    CHECK(cudaMalloc(&out, N * sizeof(int)));
    CHECK(cudaMemset(batch, 0, 2 * N * sizeof(int)));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&upload));
    for (int i = 0; i < N; ++i) next[i] = i;
    int *buffer = batch;
    triple<<<1, N, 0, work>>>(batch, out);
    CHECK(cudaMemcpyAsync(buffer, next, N * sizeof(int), cudaMemcpyHostToDevice, upload)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : got) wrong += v != 0;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
