// Conditional graph nodes of every kind, nested, by the graph API and by capture.
#include "check.h"

__global__ void choose(cudaGraphConditionalHandle handle, const unsigned *value) { cudaGraphSetConditional(handle, *value); }

__global__ void note(unsigned *log, unsigned digit) { *log = *log * 10 + digit; }

__global__ void down(cudaGraphConditionalHandle handle, unsigned *left) {
    *left -= 1;
    cudaGraphSetConditional(handle, *left);
}

__global__ void again(cudaGraphConditionalHandle handle, unsigned *left, unsigned from) {
    *left = from;
    cudaGraphSetConditional(handle, from);
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function, void **args) {
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = args;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &params));
    return node;
}

static cudaGraphNode_t conditional(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t **bodies) {
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &params));
    *bodies = params.conditional.phGraph_out;
    cudaGraphNodeType kind;
    OK(cudaGraphNodeGetType(node, &kind));
    EXPECT(kind == cudaGraphNodeTypeConditional);
    return node;
}

static unsigned *value, *log_, *inner;

static cudaGraphExec_t chooser(cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraph_t graph, *bodies;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    OK(cudaGraphConditionalHandleCreate(&handle, graph));
    void *args[] = {&handle, &value};
    cudaGraphNode_t first = kernel(graph, nullptr, (void *)choose, args);
    cudaGraphNode_t node = conditional(graph, &first, handle, type, size, &bodies);
    for (unsigned body = 0; body < size; body++) {
        unsigned digit = body + 1;
        void *noted[] = {&log_, &digit};
        kernel(bodies[body], nullptr, (void *)note, noted);
    }
    unsigned nine = 9;
    void *last[] = {&log_, &nine};
    kernel(graph, &node, (void *)note, last);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    return exec;
}

static unsigned launch(cudaGraphExec_t exec, unsigned with) {
    *value = with;
    *log_ = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    return *log_;
}

int main() {
    OK(cudaMallocManaged(&value, sizeof *value));
    OK(cudaMallocManaged(&log_, sizeof *log_));
    OK(cudaMallocManaged(&inner, sizeof *inner));

    cudaGraphExec_t one = chooser(cudaGraphCondTypeIf, 1), two = chooser(cudaGraphCondTypeIf, 2),
                    four = chooser(cudaGraphCondTypeSwitch, 4);
    EXPECT(launch(one, 0) == 9 && launch(one, 7) == 19);
    EXPECT(launch(two, 0) == 29 && launch(two, 1) == 19);
    EXPECT(launch(four, 0) == 19 && launch(four, 3) == 49 && launch(four, 4) == 9);

    // A loop in a loop: the outer one starts from its default, at each launch.
    cudaGraph_t graph, *bodies, *within;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle outside, inside;
    OK(cudaGraphConditionalHandleCreate(&outside, graph, 1, cudaGraphCondAssignDefault));
    OK(cudaGraphConditionalHandleCreate(&inside, graph));
    conditional(graph, nullptr, outside, cudaGraphCondTypeWhile, 1, &bodies);
    unsigned from = 2;
    void *again_[] = {&inside, &inner, &from};
    cudaGraphNode_t begin = kernel(bodies[0], nullptr, (void *)again, again_);
    cudaGraphNode_t loop = conditional(bodies[0], &begin, inside, cudaGraphCondTypeWhile, 1, &within);
    unsigned digit = 5;
    void *noted[] = {&log_, &digit};
    cudaGraphNode_t said = kernel(within[0], nullptr, (void *)note, noted);
    void *inward[] = {&inside, &inner};
    kernel(within[0], &said, (void *)down, inward);
    void *outward[] = {&outside, &value};
    kernel(bodies[0], &loop, (void *)down, outward);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(launch(exec, 3) == 555555);
    EXPECT(launch(exec, 1) == 55);

    // A body that was captured.
    cudaGraph_t outer;
    OK(cudaGraphCreate(&outer, 0));
    cudaGraphConditionalHandle handle;
    OK(cudaGraphConditionalHandleCreate(&handle, outer, 1, cudaGraphCondAssignDefault));
    conditional(outer, nullptr, handle, cudaGraphCondTypeWhile, 1, &bodies);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    note<<<1, 1, 0, stream>>>(log_, 7);
    down<<<1, 1, 0, stream>>>(handle, value);
    OK(cudaStreamEndCapture(stream, nullptr));
    OK(cudaGraphInstantiate(&exec, outer, 0));
    EXPECT(launch(exec, 4) == 7777);

    cudaGraphNodeParams wrong = {cudaGraphNodeTypeConditional};
    wrong.conditional.handle = handle;
    wrong.conditional.type = cudaGraphCondTypeWhile;
    wrong.conditional.size = 2;
    cudaGraphNode_t node;
    FAILS(cudaGraphAddNode(&node, outer, nullptr, nullptr, 0, &wrong), cudaErrorInvalidValue);
    puts("ok");
}
