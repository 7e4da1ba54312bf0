//@ lens-ptx: clean
// A dependent launch is captured into a graph, whose edge to it is thereby programmatic.
// Clean: the second kernel waits for the first before it reads.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    cudaTriggerProgrammaticLaunchCompletion();
    numbers[threadIdx.x] = threadIdx.x + 2;
}

__global__ void consume(const int *numbers, int *out) {
    cudaGridDependencySynchronize();
    int number = numbers[N - 1 - threadIdx.x];
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
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
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i + 2;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
