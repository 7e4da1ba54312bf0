//@ engine-guard: race
//@ lens-ptx: race
//@ class: missing-barrier
//@ nvcc: -rdc=true
// A graph repeats the body of a conditional node three times: each turn rotates an array, and hands it to the next turn.
// The bug: a thread writes its element while others have yet to read theirs. The clean twin waits at a barrier.
#include "../support/check.h"

constexpr int N = 64, TURNS = 3;

__global__ void rotate(cudaGraphConditionalHandle handle, int *numbers, int *turns) {
    int next = numbers[(threadIdx.x + 33) % N]; //~ RACE(1)
    numbers[threadIdx.x] = next; //~ RACE(1)
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, ++*turns < TURNS);
}

int main() {
    int got[N], *numbers, *turns, wrong = 0;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&turns, sizeof(int)));
    for (int i = 0; i < N; ++i) got[i] = i;
    CHECK(cudaMemcpy(numbers, got, sizeof got, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(turns, 0, sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
    void *arguments[] = {&handle, &numbers, &turns};
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = reinterpret_cast<void *>(rotate);
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(N);
    params.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &params));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != (i + 33 * TURNS) % N;
    std::printf("%d wrong\n", wrong);
    return 0;
}
