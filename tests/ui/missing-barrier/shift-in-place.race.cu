//@ lens-ptx: race
//@ class: missing-barrier
// A row is shifted by one, in place.
// The bug: one statement reads and writes, and a neighbour may write before it has read. The
// clean twin reads into a variable, waits, and writes.
#include "../support/check.h"

constexpr int N = 128;

__global__ void shift(int *out) {
    __shared__ int row[N + 1];
    int t = threadIdx.x;
    row[t] = t;
    if (t == 0) row[N] = N;
    __syncthreads();
    row[t] = row[t + 1]; //~ RACE(1) RACE(1)
    __syncthreads();
    out[t] = row[t];
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    shift<<<1, N>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i + 1;
    std::printf("%d wrong\n", wrong);
    return 0;
}
//@ engine-guard: race
//@ engine-collide: race
