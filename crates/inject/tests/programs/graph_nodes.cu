// A node of each kind by the function that adds it, what is asked of nodes and edges, and changes before and after instantiation.
#include "check.h"

__device__ int symbol[4];
__global__ void add(int *p, int n) { atomicAdd(p, n); }

int calls = 0;
void note(void *data) { calls += *(int *)data; }

cudaMemcpy3DParms line(int *dst, int *src, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(src, sizeof(int), 1, 1);
    p.dstPtr = make_cudaPitchedPtr(dst, sizeof(int), 1, 1);
    p.extent = make_cudaExtent(sizeof(int), 1, 1);
    p.kind = kind;
    return p;
}

cudaMemsetParams filled(int *p, int value) {
    cudaMemsetParams out = {};
    out.dst = p;
    out.elementSize = 4;
    out.value = value;
    out.width = 1;
    out.height = 1;
    return out;
}

struct Kernel {
    int *p;
    int n;
    void *args[2];
    cudaKernelNodeParams params;
    Kernel(int *p, int n) : p(p), n(n), args{&this->p, &this->n}, params{} {
        params.func = (void *)add;
        params.gridDim = dim3(1);
        params.blockDim = dim3(1);
        params.kernelParams = args;
    }
};

int run(cudaGraph_t graph, int *d) {
    cudaGraphExec_t exec;
    int h = -1;
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(exec));
    return h;
}

void kinds(int *d) {
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, kernel, host, empty, inner, to, from, copy, record, wait, allocate, used, release;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    Kernel ten(d, 10), one(d, 1);
    OK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &one.params));
    cudaMemsetParams zero = filled(d, 0);
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &ten.params));
    OK(cudaGraphAddChildGraphNode(&inner, graph, &kernel, 1, child));
    OK(cudaGraphAddEmptyNode(&empty, graph, &inner, 1));
    int three = 3;
    cudaHostNodeParams call = {};
    call.fn = note;
    call.userData = &three;
    OK(cudaGraphAddHostNode(&host, graph, &empty, 1, &call));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &host, 1, symbol, d, sizeof(int), 4, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, d + 1, symbol, sizeof(int), 4, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms third = line(d + 2, d + 1, cudaMemcpyDeviceToDevice);
    OK(cudaGraphAddMemcpyNode(&copy, graph, &from, 1, &third));
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaGraphAddEventRecordNode(&record, graph, &copy, 1, event));
    OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 4;
    OK(cudaGraphAddMemAllocNode(&allocate, graph, &wait, 1, &memory));
    cudaMemsetParams five = filled((int *)memory.dptr, 5);
    OK(cudaGraphAddMemsetNode(&used, graph, &allocate, 1, &five));
    OK(cudaGraphAddMemFreeNode(&release, graph, &used, 1, memory.dptr));
    struct {
        cudaGraphNode_t node;
        cudaGraphNodeType type;
    } types[] = {{fill, cudaGraphNodeTypeMemset},       {kernel, cudaGraphNodeTypeKernel},
                 {inner, cudaGraphNodeTypeGraph},       {empty, cudaGraphNodeTypeEmpty},
                 {host, cudaGraphNodeTypeHost},         {to, cudaGraphNodeTypeMemcpy},
                 {record, cudaGraphNodeTypeEventRecord}, {wait, cudaGraphNodeTypeWaitEvent},
                 {allocate, cudaGraphNodeTypeMemAlloc}, {release, cudaGraphNodeTypeMemFree}};
    for (auto &each : types) {
        cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(each.node, &type));
        EXPECT(type == each.type);
    }
    int h[3];
    EXPECT(run(graph, d) == 11);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[1] == 11 && h[2] == 11 && calls == 3);
    OK(cudaEventSynchronize(event));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(child));
}

void edges(int *d) {
    cudaGraph_t graph, copy;
    cudaGraphNode_t fill, first, second, found[4], root;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zero = filled(d, 0);
    Kernel one(d, 1), two(d, 2);
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    OK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &one.params));
    OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &two.params));
    OK(cudaGraphAddDependencies(graph, &fill, &second, nullptr, 1));
    size_t n = 4;
    OK(cudaGraphNodeGetDependentNodes(fill, found, nullptr, &n));
    EXPECT(n == 2);
    n = 4;
    OK(cudaGraphNodeGetDependencies(second, found, nullptr, &n));
    EXPECT(n == 1 && found[0] == fill);
    n = 1;
    OK(cudaGraphGetRootNodes(graph, &root, &n));
    EXPECT(n == 1 && root == fill);
    cudaGraphNode_t starts[4], ends[4];
    n = 4;
    OK(cudaGraphGetEdges(graph, starts, ends, nullptr, &n));
    EXPECT(n == 2 && starts[0] == fill);
    EXPECT(run(graph, d) == 3);
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphNodeFindInClone(&root, first, copy));
    OK(cudaGraphDestroyNode(root));
    EXPECT(run(copy, d) == 2);
    EXPECT(run(graph, d) == 3);
    OK(cudaGraphRemoveDependencies(graph, &fill, &second, nullptr, 1));
    n = 0;
    OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &n));
    EXPECT(n == 0);
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(graph));
}

void changes(int *d) {
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, up, there, host;
    OK(cudaGraphCreate(&graph, 0));
    int source = 100, other = 200, three = 3, four = 4;
    cudaMemsetParams zero = filled(d, 0), seven = filled(d, 7);
    Kernel one(d, 1), two(d, 2);
    cudaHostNodeParams call = {}, changed = {};
    call.fn = changed.fn = note;
    call.userData = &three;
    changed.userData = &four;
    cudaMemcpy3DParms to_second = line(d + 1, d, cudaMemcpyDeviceToDevice);
    cudaMemcpy3DParms to_third = line(d + 2, d, cudaMemcpyDeviceToDevice);
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &one.params));
    OK(cudaGraphAddMemcpyNode(&there, graph, &kernel, 1, &to_second));
    OK(cudaGraphAddMemcpyNode1D(&up, graph, &there, 1, d + 3, &source, sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaGraphAddHostNode(&host, graph, &up, 1, &call));
    // Before instantiation.
    OK(cudaGraphMemsetNodeSetParams(fill, &seven));
    OK(cudaGraphKernelNodeSetParams(kernel, &two.params));
    OK(cudaGraphMemcpyNodeSetParams(there, &to_third));
    OK(cudaGraphMemcpyNodeSetParams1D(up, d + 3, &other, sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaGraphHostNodeSetParams(host, &changed));
    OK(cudaMemset(d, 0, 4 * sizeof(int)));
    calls = 0;
    EXPECT(run(graph, d) == 9);
    int h[4];
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[1] == 0 && h[2] == 9 && h[3] == 200 && calls == 4);
    // Any node by its tagged parameters.
    cudaGraphNodeParams tagged = {};
    tagged.type = cudaGraphNodeTypeMemset;
    tagged.memset.dst = d;
    tagged.memset.elementSize = 4;
    tagged.memset.value = 1;
    tagged.memset.width = 1;
    tagged.memset.height = 1;
    OK(cudaGraphNodeSetParams(fill, &tagged));
    EXPECT(run(graph, d) == 3);
    // After it.
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams how = {};
    how.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
    OK(cudaGraphInstantiateWithParams(&exec, graph, &how));
    EXPECT(how.result_out == cudaGraphInstantiateSuccess);
    unsigned long long flags = 0;
    OK(cudaGraphExecGetFlags(exec, &flags));
    EXPECT(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
    OK(cudaGraphUpload(exec, nullptr));
    OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &zero));
    OK(cudaGraphExecMemcpyNodeSetParams(exec, there, &to_second));
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, up, d + 3, &source, sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaGraphExecHostNodeSetParams(exec, host, &call));
    calls = 0;
    OK(cudaMemset(d, 0, 4 * sizeof(int)));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[0] == 2 && h[1] == 2 && h[2] == 0 && h[3] == 100 && calls == 3);
    tagged.memset.value = 5;
    OK(cudaGraphExecNodeSetParams(exec, fill, &tagged));
    EXPECT(cudaGraphExecNodeSetParams(exec, kernel, &tagged) == cudaErrorInvalidValue);
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[0] == 7);
    OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &zero));
    // A node that is switched off does nothing, and those behind it stay behind those before it.
    unsigned enabled = 1;
    OK(cudaGraphNodeSetEnabled(exec, kernel, 0));
    OK(cudaGraphNodeGetEnabled(exec, kernel, &enabled));
    EXPECT(enabled == 0);
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[0] == 0 && h[1] == 0);
    OK(cudaGraphNodeSetEnabled(exec, kernel, 1));
    // The graph as it is now, where its shape is the same.
    cudaGraphExecUpdateResultInfo result;
    OK(cudaGraphExecUpdate(exec, graph, &result));
    EXPECT(result.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[0] == 3 && h[2] == 3);
    OK(cudaGraphDestroyNode(host));
    FAILS(cudaGraphExecUpdate(exec, graph, &result), cudaErrorGraphExecUpdateFailure);
    cudaGetLastError();
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

void captures(int *d) {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    cudaGraph_t graph, seen;
    cudaGraphNode_t extra;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(d, 0, sizeof(int), s));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *tips = nullptr;
    size_t count = 0;
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &seen, &tips, nullptr, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && id != 0 && count == 1);
    Kernel five(d, 5);
    OK(cudaGraphAddKernelNode(&extra, seen, tips, 1, &five.params));
    OK(cudaStreamUpdateCaptureDependencies(s, &extra, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamEndCapture(s, &graph));
    EXPECT(graph == seen);
    EXPECT(run(graph, d) == 6);
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
}

int main() {
    int *d;
    OK(cudaMalloc(&d, 4 * sizeof(int)));
    kinds(d);
    edges(d);
    changes(d);
    captures(d);
    std::puts("ok");
}
