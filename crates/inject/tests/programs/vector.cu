// The simplest program: allocate, copy, launch, copy back.
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    constexpr int N = 1000;
    static float a[N], b[N], c[N];
    for (int i = 0; i < N; ++i) a[i] = i, b[i] = 2 * i;
    float *da, *db, *dc;
    OK(cudaMalloc(&da, sizeof a));
    OK(cudaMalloc(&db, sizeof a));
    OK(cudaMalloc(&dc, sizeof a));
    OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b, sizeof a, cudaMemcpyHostToDevice));
    add<<<(N + 127) / 128, 128>>>(da, db, dc, N);
    OK(cudaGetLastError());
    OK(cudaMemcpy(c, dc, sizeof a, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) EXPECT(c[i] == 3 * i);
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dc));
    std::puts("ok");
}
