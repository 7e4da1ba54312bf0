//@ lens-ptx: race
//@ class: inter-block
// A three-point stencil; each block loads its neighbours' edge elements.
// The bug: the result goes into the array it comes from, and the barrier covers one
// block only. The clean twin writes to another array.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void smooth(int *data, int *result, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int left = 0, right = 0, mine = data[i];
    if (i > 0) left = data[i - 1]; //~ RACE(1)
    if (i < n - 1) right = data[i + 1]; //~ RACE(2)
    __syncthreads();
    data[i] = left + 2 * mine + right; //~ RACE(1) RACE(2)
}

int main() {
    const int n = 3 * THREADS;
    int host[n], got[n], *data, *result, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = 1;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMalloc(&result, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    smooth<<<n / THREADS, THREADS>>>(data, result, n);
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 4 - (i == 0) - (i == n - 1);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}

//@ engine-guard: race
//@ engine-collide: race
