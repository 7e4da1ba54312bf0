//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// Two streams upload parts of one array.
// The bug: the parts overlap by one element. The clean twin's parts do not.
#include "../support/check.h"

constexpr int N = 64, HALF = N / 2;

__global__ void negate(int *numbers) { numbers[threadIdx.x] = -numbers[threadIdx.x]; }

int main() {
    int *host, *device, got[N], wrong = 0;
    cudaStream_t first, second;
    CHECK(cudaMallocHost(&host, N * sizeof(int)));
    CHECK(cudaMalloc(&device, N * sizeof(int)));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    for (int i = 0; i < N; ++i) host[i] = i;
    const int left = HALF + 1;
    CHECK(cudaMemcpyAsync(device, host, left * sizeof(int), cudaMemcpyHostToDevice, first)); //~ RACE(1)
    CHECK(cudaMemcpyAsync(device + HALF, host + HALF, HALF * sizeof(int), cudaMemcpyHostToDevice, second)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    negate<<<1, N>>>(device);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != -i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
