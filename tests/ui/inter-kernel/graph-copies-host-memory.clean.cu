//@ lens-ptx: clean
// A graph copies between buffers of the host, and then runs a kernel, whose result a kernel in another stream
// reads.
// Clean: the event is recorded behind the graph's launch.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *numbers, int n) {
    if (threadIdx.x < n) numbers[threadIdx.x] = 2 * threadIdx.x;
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x];
    out[threadIdx.x] = number;
}

int main() {
    int got[N], from[4] = {1, 2, 3, 4}, to[4], *numbers, *out, n = N, wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t produced;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphNode_t copy, kernel;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, to, from, sizeof from, cudaMemcpyHostToHost));
    void *arguments[] = {&numbers, &n};
    cudaKernelNodeParams produces = {};
    produces.func = reinterpret_cast<void *>(produce);
    produces.gridDim = dim3(1);
    produces.blockDim = dim3(N);
    produces.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &produces));
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    CHECK(cudaGraphLaunch(made, first));
    CHECK(cudaEventRecord(produced, first));
    CHECK(cudaStreamWaitEvent(second, produced, 0));
    consume<<<1, N, 0, second>>>(numbers, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0 || to[3] != 4;
}
