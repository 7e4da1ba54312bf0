//@ lens-ptx: race
//@ class: inter-kernel
// An edge of a graph leaves the first kernel when all its blocks have begun.
// The bug: the second kernel does not wait for the first. In the clean twin it does.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 2; //~ RACE(1)
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
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
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first, second;
    void *write[] = {&numbers}, *read[] = {&numbers, &out};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = 1;
    kernel.blockDim = N;
    kernel.func = reinterpret_cast<void *>(produce);
    kernel.kernelParams = write;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.func = reinterpret_cast<void *>(consume);
    kernel.kernelParams = read;
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
    cudaGraphEdgeData edge = {}, read_back = {};
    edge.from_port = cudaGraphKernelNodePortLaunchCompletion;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    CHECK(cudaGraphAddDependencies(graph, &first, &second, &edge, 1));
    size_t edges = 1;
    cudaGraphNode_t from, to;
    CHECK(cudaGraphGetEdges(graph, &from, &to, &read_back, &edges));
    wrong += edges != 1 || from != first || to != second || read_back.from_port != edge.from_port;
    wrong += read_back.type != edge.type;
    wrong += cudaGraphGetEdges(graph, &from, &to, nullptr, &edges) != cudaErrorLossyQuery;
    cudaGetLastError();
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i + 2;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
