//@ lens-ptx: clean
// The second kernel may start before the first has finished, as its launch says so.
// Clean: one thread waits for the first kernel, and all of its block for that thread.
#include "../support/check.h"

constexpr int N = 64;

__global__ void add(const int *numbers, int *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = numbers[N - 1 - threadIdx.x] + threadIdx.x;
}

__global__ void clear(int *numbers) {
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    __syncthreads();
    numbers[threadIdx.x] = -1;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t stream;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(numbers, 0, sizeof got, stream));
    CHECK(cudaMemsetAsync(out, 0, sizeof got, stream));
    add<<<1, N, 0, stream>>>(numbers, out);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = N;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, clear, numbers));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
