// A graph that launches itself again from the device, three times: each turn rotates an array, and hands it to the next
// one. Without `--fixed` a thread writes its element while others have yet to read theirs.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int N = 64, TURNS = 3;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t code = call;                                                                                       \
        if (code != cudaSuccess) return std::printf("%s: %s\n", #call, cudaGetErrorString(code)), 1;                   \
    } while (0)

__global__ void rotate(int *numbers, int *turns, bool waits) {
    int next = numbers[(threadIdx.x + 33) % N]; // LINE(read)
    if (waits) __syncthreads();
    numbers[threadIdx.x] = next; // LINE(write)
    if (threadIdx.x == 0 && ++*turns < TURNS) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

int main(int argc, char **argv) {
    bool waits = argc > 1 && !std::strcmp(argv[1], "--fixed");
    int got[N], *numbers, *turns, wrong = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&turns, sizeof(int)));
    for (int i = 0; i < N; ++i) got[i] = i;
    CHECK(cudaMemcpy(numbers, got, sizeof got, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(turns, 0, sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&numbers, &turns, &waits};
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void *>(rotate);
    params.gridDim = dim3(1);
    params.blockDim = dim3(N);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphUpload(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != (i + 33 * TURNS) % N;
    std::printf("%d wrong, %zu nodes\n", wrong, nodes);
    return 0;
}
