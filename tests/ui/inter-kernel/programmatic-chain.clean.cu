//@ lens-ptx: clean
// Kernels that each let the next one begin at once: all of them may run at the same time.
// Clean: each thread waits for the kernel before its own before it reads a number.
#include "../support/check.h"

constexpr int N = 64, STEPS = 6;

__global__ void step(const int *from, int *to) {
    cudaTriggerProgrammaticLaunchCompletion();
    __shared__ int one;
    if (threadIdx.x == 0) one = 1;
    __syncthreads();
    cudaGridDependencySynchronize();
    int number = from[N - 1 - threadIdx.x];
    cudaGridDependencySynchronize();
    to[threadIdx.x] = number + one;
}

int main() {
    int got[N], *numbers[2], wrong = 0;
    cudaStream_t stream;
    for (int *&each : numbers) CHECK(cudaMalloc(&each, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    for (int *each : numbers) CHECK(cudaMemsetAsync(each, 0, sizeof got, stream));
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = N;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    for (int i = 0; i < STEPS; ++i) {
        const int *from = numbers[i % 2];
        CHECK(cudaLaunchKernelEx(&config, step, from, numbers[1 - i % 2]));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, numbers[STEPS % 2], sizeof got, cudaMemcpyDeviceToHost));
    for (int each : got) wrong += each != STEPS;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
