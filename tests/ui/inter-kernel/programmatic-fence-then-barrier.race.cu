//@ lens-ptx: race
//@ class: inter-kernel
// The second kernel reads what the first has written and released before it lets it begin, without waiting for it.
// The bug: the writers fence after the trigger. In the clean twin they fence, meet at a barrier, and one triggers.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 2; //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
    __threadfence();
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    cudaGridDependencySynchronize();
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t stream;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    produce<<<1, N, 0, stream>>>(numbers);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = N;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, consume, static_cast<const int *>(numbers), out));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i + 2;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ advice: the report has the second wait, the twin has the first release
//@ arch: 90
