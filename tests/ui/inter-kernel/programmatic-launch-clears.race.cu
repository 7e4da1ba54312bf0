//@ lens-ptx: race
//@ class: inter-kernel
// The second kernel may start before the first has finished, as its launch says so.
// The bug: it clears what the first one may still have to read.
#include "../support/check.h"

constexpr int N = 64;

__global__ void add(const int *numbers, int *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = numbers[N - 1 - threadIdx.x] + threadIdx.x; //~ RACE(1)
}

__global__ void clear(int *numbers) {
    numbers[threadIdx.x] = -1; //~ RACE(1)
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
//@ engine-guard: race
