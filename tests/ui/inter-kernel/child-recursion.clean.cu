//@ lens-ptx: clean
//@ nvcc: -arch=sm_90 -rdc=true
// A sort that launches itself on both parts of its range.
// The bug: it places the pivot after the launches. The clean twin places it before.
#include "../support/check.h"

constexpr int N = 64;

__global__ void sort(int *data, int first, int last) {
    if (last <= first) return;
    int pivot = data[last], at = first;
    for (int i = first; i < last; ++i) {
        int number = data[i];
        if (number >= pivot) continue;
        data[i] = data[at];
        data[at++] = number;
    }
    data[last] = data[at];
    data[at] = pivot;
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, first, at - 1);
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, at + 1, last);
}

__global__ void parent(int *data) {
    data[threadIdx.x] = 2 * ((threadIdx.x * 27 + 11) % N);
    __syncthreads();
    if (threadIdx.x == 0) sort<<<1, 1>>>(data, 0, N - 1);
}

int main() {
    int got[N], *data, *out, wrong = 0;
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    parent<<<1, N>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
