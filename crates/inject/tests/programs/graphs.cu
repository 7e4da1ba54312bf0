// Graphs: captured and built by hand.
#include "check.h"

__global__ void add(int *p, int n) { *p += n; }
__global__ void sum(int *out, const int *a, const int *b) { *out = *a + *b; }

int calls = 0;
void note(void *) { ++calls; }

int main() {
    int *d, h = 0;
    OK(cudaMalloc(&d, 4 * sizeof(int)));
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(d, 0, 4 * sizeof(int), s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 1, 0, s>>>(d, 3);
    add<<<1, 1, 0, t>>>(d + 1, 4);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    sum<<<1, 1, 0, s>>>(d + 2, d, d + 1);
    OK(cudaLaunchHostFunc(s, note, nullptr));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(t, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(s, &graph));
    size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 5);
    EXPECT(calls == 0);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(calls == 3);
    OK(cudaMemcpy(&h, d + 2, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h == 7);
    // By hand, with a parameter changed after instantiation.
    cudaGraph_t made;
    OK(cudaGraphCreate(&made, 0));
    cudaGraphNode_t fill, first, second, copy;
    cudaMemsetParams zero = {};
    zero.dst = d;
    zero.elementSize = 4;
    zero.value = 5;
    zero.width = 1;
    zero.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, made, nullptr, 0, &zero));
    int n = 10;
    int *p = d;
    void *args[] = {&p, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(1);
    kernel.kernelParams = args;
    OK(cudaGraphAddKernelNode(&first, made, &fill, 1, &kernel));
    OK(cudaGraphAddKernelNode(&second, made, &first, 1, &kernel));
    OK(cudaGraphAddMemcpyNode1D(&copy, made, &second, 1, &h, d, sizeof h, cudaMemcpyDeviceToHost));
    cudaGraphExec_t run;
    OK(cudaGraphInstantiate(&run, made, 0));
    OK(cudaGraphLaunch(run, t));
    OK(cudaStreamSynchronize(t));
    EXPECT(h == 25);
    n = 100;
    OK(cudaGraphExecKernelNodeSetParams(run, second, &kernel));
    OK(cudaGraphLaunch(run, t));
    OK(cudaStreamSynchronize(t));
    EXPECT(h == 115);
    // Memory that a graph allocates may be freed outside of it; the next launch allocates it again at the same place.
    cudaGraph_t allocating;
    OK(cudaGraphCreate(&allocating, 0));
    cudaGraphNode_t allocate, set, get;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 4;
    OK(cudaGraphAddMemAllocNode(&allocate, allocating, nullptr, 0, &memory));
    zero.dst = memory.dptr;
    OK(cudaGraphAddMemsetNode(&set, allocating, &allocate, 1, &zero));
    OK(cudaGraphAddMemcpyNode1D(&get, allocating, &set, 1, &h, memory.dptr, sizeof h, cudaMemcpyDeviceToHost));
    cudaGraphExec_t again;
    OK(cudaGraphInstantiate(&again, allocating, 0));
    OK(cudaGraphDestroy(allocating));
    for (int i = 0; i < 3; ++i) {
        h = 0;
        OK(cudaGraphLaunch(again, t));
        if (i == 1) OK(cudaFreeAsync(memory.dptr, t));
        OK(cudaStreamSynchronize(t));
        if (i != 1) OK(cudaFree(memory.dptr));
        EXPECT(h == 5);
    }
    OK(cudaGraphExecDestroy(again));
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(made));
    OK(cudaStreamDestroy(t));
    std::puts("ok");
}
