//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -rdc=true
// A graph fills an array in the body of a conditional node, and sums it in a node of its own.
// The bug: the sum waits for the kernel that sets the condition, not for the conditional node.
#include "../support/check.h"

constexpr int N = 32;

__global__ void decide(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 1); }

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 2; //~ RACE(1)
}

__global__ void sum(const int *numbers, int *total) {
    atomicAdd(total, numbers[threadIdx.x]); //~ RACE(1)
}

cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function, int threads, void **args) {
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = function;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(threads);
    params.kernel.kernelParams = args;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &params));
    return node;
}

int main() {
    int *numbers, *total, got;
    CHECK(cudaMalloc(&numbers, N * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(numbers, 0, N * sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    void *decided[] = {&handle}, *filled[] = {&numbers}, *summed[] = {&numbers, &total};
    cudaGraphNode_t decision = kernel(graph, nullptr, (void *)decide, 1, decided);
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    cudaGraphNode_t conditional;
    CHECK(cudaGraphAddNode(&conditional, graph, &decision, nullptr, 1, &params));
    kernel(params.conditional.phGraph_out[0], nullptr, (void *)fill, N, filled);
    kernel(graph, &decision, (void *)sum, N, summed);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 2 * N;
}
//@ engine-guard: race
