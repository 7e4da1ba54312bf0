//@ lens-ptx: race
//@ class: inter-kernel
// A graph is captured from two streams and launched.
// The bug: the fork event is recorded before the first kernel, so the graph has two
// branches without order between them. The clean twin forks after the kernel.
#include "../support/check.h"

constexpr int N = 32;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x + 1; //~ RACE(1)
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t origin, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&origin));
    CHECK(cudaStreamCreate(&branch));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, origin));
    produce<<<1, N, 0, origin>>>(numbers);
    CHECK(cudaStreamWaitEvent(branch, fork, 0));
    consume<<<1, N, 0, branch>>>(numbers, out);
    CHECK(cudaEventRecord(join, branch));
    CHECK(cudaStreamWaitEvent(origin, join, 0));
    CHECK(cudaStreamEndCapture(origin, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, origin));
    CHECK(cudaStreamSynchronize(origin));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
