//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A graph allocates a buffer, fills it, uses it in a second branch, and gives it back.
// The bug: the node that frees it is behind the kernel that fills it, and not behind the one that uses it. In the clean twin it is
// behind both.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(int *numbers) {
    numbers[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void use(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *out, wrong = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t allocation, filled, used, freed;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof got;
    CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory));
    void *write[] = {&memory.dptr}, *read[] = {&memory.dptr, &out};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = 1;
    kernel.blockDim = N;
    kernel.func = reinterpret_cast<void *>(fill);
    kernel.kernelParams = write;
    CHECK(cudaGraphAddKernelNode(&filled, graph, &allocation, 1, &kernel));
    kernel.func = reinterpret_cast<void *>(use);
    kernel.kernelParams = read;
    CHECK(cudaGraphAddKernelNode(&used, graph, &filled, 1, &kernel));
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &filled, 1, memory.dptr));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream)); //~ RACE(1)
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 3 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
