// Arguments that are not served: each is an error, and the result names the call.
#include "check.h"

__global__ void nothing() {}

// A launch with one attribute.
cudaError_t launch(cudaLaunchAttribute attribute) {
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, (void *)nothing, nullptr);
}

void attributes() {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeMemSyncDomain;
    attribute.val.memSyncDomain = cudaLaunchMemSyncDomainDefault;
    OK(launch(attribute));
    attribute.val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    FAILS(launch(attribute), cudaErrorNotSupported);
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    FAILS(launch(attribute), cudaErrorNotSupported);
    attribute = {};
    attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
    attribute.val.launchCompletionEvent.event = event;
    FAILS(launch(attribute), cudaErrorNotSupported);
    attribute = {};
    attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    FAILS(launch(attribute), cudaErrorNotSupported);
}

int main() {
    cudaArray_t array;
    cudaChannelFormatDesc packed = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4};
    FAILS(cudaMallocArray(&array, &packed, 4, 4), cudaErrorNotSupported);
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeHost;
    FAILS(cudaMemPoolCreate(&pool, &properties), cudaErrorNotSupported);
    // Fences of a kernel in another domain order less than those of one in the same.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaStreamAttrValue value = {};
    value.memSyncDomain = cudaLaunchMemSyncDomainDefault;
    OK(cudaStreamSetAttribute(stream, cudaStreamAttributeMemSyncDomain, &value));
    value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    FAILS(cudaStreamSetAttribute(stream, cudaStreamAttributeMemSyncDomain, &value), cudaErrorNotSupported);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphNodeParams signal = {};
    signal.type = cudaGraphNodeTypeExtSemaphoreSignal;
    OK(cudaGraphCreate(&graph, 0));
    FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &signal), cudaErrorNotSupported);
    signal.type = (cudaGraphNodeType)99;
    FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &signal), cudaErrorInvalidValue);
    FAILS(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, &graph), cudaErrorInvalidValue);
    attributes();
    std::puts("ok");
}
