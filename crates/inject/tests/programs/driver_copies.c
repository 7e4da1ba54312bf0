// Copies, fills and graphs of the driver's API: each function is called, and its results are checked. argv[1] is a file with PTX of
// driver_kernels.cu.
#include "driver.h"

enum { N = 64, ROW = 8 };
static CUdeviceptr a, b, other;
static CUcontext own, peer;
static CUstream stream;
static unsigned char host[N], back[N];

// Makes `host` numbers that no earlier copy has written, and clears where they go.
static void begin(void) {
    static unsigned char next;
    next += 7;
    for (int i = 0; i < N; i++) host[i] = (unsigned char)(next + i);
    memset(back, 0, N);
    OK(cuMemsetD8_v2(a, 0, N));
    OK(cuMemsetD8_v2(b, 0, N));
    OK(cuMemsetD8_v2(other, 0, N));
}

static void arrived(void) { EXPECT(!memcmp(host, back, N)); }

static void lines(void) {
    begin();
    OK(cuMemcpyHtoD_v2(a, host, N));
    OK(cuMemcpyDtoD_v2(b, a, N));
    OK(cuMemcpyDtoH_v2(back, b, N));
    arrived();
    begin();
    OK(cuMemcpyHtoDAsync_v2(a, host, N, stream));
    OK(cuMemcpyDtoDAsync_v2(b, a, N, stream));
    OK(cuMemcpyDtoHAsync_v2(back, b, N, stream));
    OK(cuStreamSynchronize(stream));
    arrived();
    begin();
    OK(cuMemcpy(a, (CUdeviceptr)host, N));
    OK(cuMemcpyAsync(b, a, N, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpy((CUdeviceptr)back, b, N));
    arrived();
    begin();
    OK(cuMemcpyHtoD_v2(a, host, N));
    OK(cuMemcpyPeer(other, peer, a, own, N));
    OK(cuMemcpyPeerAsync(b, own, other, peer, N, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(back, b, N));
    arrived();
    FAILS(cuMemcpyDtoD_v2(a, 8, N), CUDA_ERROR_INVALID_VALUE);
}

// `height` rows of 4 bytes each from one side to the other.
static CUDA_MEMCPY2D rows(const void *from, CUdeviceptr to, size_t height) {
    CUDA_MEMCPY2D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = from, p.srcPitch = ROW, p.srcXInBytes = 2, p.srcY = 1;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE, p.dstDevice = to, p.dstPitch = ROW, p.dstXInBytes = 2, p.dstY = 1;
    p.WidthInBytes = 4, p.Height = height;
    return p;
}

// Only the middle of the rows 1 to `height` of `b` has the host's bytes.
static void middle(size_t height) {
    OK(cuMemcpyDtoH_v2(back, b, N));
    for (size_t i = 0; i < N; i++) {
        size_t x = i % ROW, y = i / ROW;
        int inside = x >= 2 && x < 6 && y >= 1 && y <= height;
        EXPECT(back[i] == (inside ? host[i] : 0));
    }
}

static void planes(void) {
    begin();
    CUDA_MEMCPY2D p = rows(host, b, 3);
    OK(cuMemcpy2D_v2(&p));
    middle(3);
    begin();
    OK(cuMemcpy2DUnaligned_v2(&p));
    middle(3);
    begin();
    p.Height = 2;
    OK(cuMemcpy2DAsync_v2(&p, stream));
    OK(cuStreamSynchronize(stream));
    middle(2);
    p.srcPitch = 3;
    FAILS(cuMemcpy2D_v2(&p), CUDA_ERROR_INVALID_VALUE);
}

static void boxes(void) {
    CUDA_MEMCPY3D p = {0};
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = host, p.srcPitch = ROW, p.srcHeight = 4, p.srcXInBytes = 2, p.srcY = 1;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE, p.dstDevice = b, p.dstPitch = ROW, p.dstHeight = 4, p.dstXInBytes = 2, p.dstY = 1;
    p.WidthInBytes = 4, p.Height = 2, p.Depth = 1;
    begin();
    OK(cuMemcpy3D_v2(&p));
    middle(2);
    begin();
    OK(cuMemcpy3DAsync_v2(&p, stream));
    OK(cuStreamSynchronize(stream));
    middle(2);
    CUDA_MEMCPY3D_PEER q = {0};
    q.srcMemoryType = CU_MEMORYTYPE_DEVICE, q.srcDevice = other, q.srcContext = peer, q.srcPitch = ROW, q.srcHeight = 4;
    q.dstMemoryType = CU_MEMORYTYPE_DEVICE, q.dstDevice = b, q.dstContext = own, q.dstPitch = ROW, q.dstHeight = 4;
    q.srcXInBytes = q.dstXInBytes = 2, q.srcY = q.dstY = 1, q.WidthInBytes = 4, q.Height = 2, q.Depth = 1;
    begin();
    OK(cuMemcpyHtoD_v2(other, host, N));
    OK(cuMemcpy3DPeer(&q));
    middle(2);
    begin();
    OK(cuMemcpyHtoD_v2(other, host, N));
    OK(cuMemcpy3DPeerAsync(&q, stream));
    OK(cuStreamSynchronize(stream));
    middle(2);
}

// Bytes of elements of `size` bytes: `count` from the start of each of the first `height` rows, and nothing else.
static void filled(unsigned value, size_t size, size_t count, size_t height) {
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(back, a, N));
    for (size_t i = 0; i < N; i++) {
        size_t x = i % ROW, y = i / ROW;
        unsigned char byte = (unsigned char)(value >> 8 * (i % size));
        EXPECT(back[i] == (y < height && x < count * size ? byte : 0));
    }
    OK(cuMemsetD8_v2(a, 0, N));
}

static void fills(void) {
    begin();
    OK(cuMemsetD8_v2(a, 3, 5));
    filled(3, 1, 5, 1);
    OK(cuMemsetD16_v2(a, 0x102, 3));
    filled(0x102, 2, 3, 1);
    OK(cuMemsetD32_v2(a, 0x1020304, 2));
    filled(0x1020304, 4, 2, 1);
    OK(cuMemsetD8Async(a, 4, 6, stream));
    filled(4, 1, 6, 1);
    OK(cuMemsetD16Async(a, 0x203, 4, stream));
    filled(0x203, 2, 4, 1);
    OK(cuMemsetD32Async(a, 0x5060708, 1, stream));
    filled(0x5060708, 4, 1, 1);
    OK(cuMemsetD2D8_v2(a, ROW, 5, 3, 4));
    filled(5, 1, 3, 4);
    OK(cuMemsetD2D16_v2(a, ROW, 0x304, 2, 3));
    filled(0x304, 2, 2, 3);
    OK(cuMemsetD2D32_v2(a, ROW, 0x708090a, 1, 5));
    filled(0x708090a, 4, 1, 5);
    OK(cuMemsetD2D8Async(a, ROW, 6, 7, 2, stream));
    filled(6, 1, 7, 2);
    OK(cuMemsetD2D16Async(a, ROW, 0x405, 3, 6, stream));
    filled(0x405, 2, 3, 6);
    OK(cuMemsetD2D32Async(a, ROW, 0xa0b0c0d, 2, 7, stream));
    filled(0xa0b0c0d, 4, 2, 7);
    FAILS(cuMemsetD2D32_v2(a, 4, 1, 2, 2), CUDA_ERROR_INVALID_VALUE);
}

// The integers of `b` are all `value`.
static void integers(int value) {
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(back, b, N));
    for (int i = 0; i < N / 4; i++) EXPECT(((int *)back)[i] == value);
}

static void graphs(const char *ptx) {
    CUmodule module;
    CUfunction scale;
    CUgraph graph;
    CUgraphExec instance;
    CUgraphNode fill, copy, kernel;
    CUdeviceptr target = a;
    int n = N / 4;
    OK(cuModuleLoad(&module, ptx));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS five = {.dst = a, .value = 5, .elementSize = 4, .width = N / 4, .height = 1};
    OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &five, own));
    void *arguments[] = {&target, &n};
    CUDA_KERNEL_NODE_PARAMS launch = {scale, 1, 1, 1, N / 4, 1, 1, 0, arguments, NULL};
    OK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    CUDA_MEMCPY3D move = {0};
    move.srcMemoryType = CU_MEMORYTYPE_DEVICE, move.srcDevice = a, move.dstMemoryType = CU_MEMORYTYPE_DEVICE, move.dstDevice = b;
    move.WidthInBytes = N, move.Height = move.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &move, own));
    OK(cuGraphInstantiate(&instance, graph, 0));
    begin();
    OK(cuGraphLaunch(instance, stream));
    integers(15);
    // What the instance does changes, and the graph does not.
    five.value = 7;
    OK(cuGraphExecMemsetNodeSetParams(instance, fill, &five, own));
    n = 0;
    OK(cuGraphExecKernelNodeSetParams(instance, kernel, &launch));
    OK(cuGraphLaunch(instance, stream));
    integers(7);
    move.srcDevice = other;
    OK(cuMemsetD32_v2(other, 9, N / 4));
    OK(cuGraphExecMemcpyNodeSetParams(instance, copy, &move, own));
    OK(cuGraphLaunch(instance, stream));
    integers(9);
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, stream));
    integers(15);
    // The graph changes, and so do later instances.
    five.value = 2, n = N / 4;
    OK(cuGraphMemsetNodeSetParams(fill, &five));
    launch.blockDimX = N / 2;
    OK(cuGraphKernelNodeSetParams(kernel, &launch));
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, stream));
    integers(6);
    OK(cuGraphMemcpyNodeSetParams(copy, &move));
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, stream));
    integers(9);
}

// Nodes of all kinds are added and changed by the same functions.
static void nodes_of_any_kind(const char *ptx) {
    CUmodule module;
    CUgraph graph;
    CUgraphExec instance;
    CUgraphNode fill, copy, kernel;
    CUgraphConditionalHandle handle;
    CUdeviceptr target = a;
    int n = N / 4;
    void *arguments[] = {&target, &n};
    CUgraphNodeParams set = {.type = CU_GRAPH_NODE_TYPE_MEMSET}, launch = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    CUgraphNodeParams move = {.type = CU_GRAPH_NODE_TYPE_MEMCPY}, branch = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    CUresult (*first)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *) = 0;
    OK(cuGetProcAddress_v2("cuGraphAddNode", (void **)&first, 12020, 0, 0));
    OK(cuModuleLoad(&module, ptx));
    OK(cuModuleGetFunction(&launch.kernel.func, module, "scale"));
    OK(cuGraphCreate(&graph, 0));
    set.memset.dst = a, set.memset.value = 5, set.memset.elementSize = 4, set.memset.width = N / 4, set.memset.height = 1;
    OK(first(&fill, graph, NULL, 0, &set));
    launch.kernel.gridDimX = launch.kernel.gridDimY = launch.kernel.gridDimZ = 1, launch.kernel.blockDimX = N / 4;
    launch.kernel.blockDimY = launch.kernel.blockDimZ = 1, launch.kernel.kernelParams = arguments;
    OK(cuGraphAddNode_v2(&kernel, graph, &fill, NULL, 1, &launch));
    CUDA_MEMCPY3D *p = &move.memcpy.copyParams;
    p->srcMemoryType = p->dstMemoryType = CU_MEMORYTYPE_DEVICE, p->srcDevice = a, p->dstDevice = b;
    p->WidthInBytes = N, p->Height = p->Depth = 1;
    OK(cuGraphAddNode_v2(&copy, graph, &kernel, NULL, 1, &move));
    OK(cuGraphConditionalHandleCreate(&handle, graph, own, 0, CU_GRAPH_COND_ASSIGN_DEFAULT));
    branch.conditional.handle = handle, branch.conditional.type = CU_GRAPH_COND_TYPE_IF, branch.conditional.size = 1;
    CUgraphNode conditional;
    OK(cuGraphAddNode_v2(&conditional, graph, &copy, NULL, 1, &branch));
    EXPECT(branch.conditional.phGraph_out && branch.conditional.phGraph_out[0]);
    OK(cuGraphInstantiate(&instance, graph, 0));
    begin();
    OK(cuGraphLaunch(instance, stream));
    integers(15);
    set.memset.value = 7;
    OK(cuGraphExecNodeSetParams(instance, fill, &set));
    OK(cuGraphLaunch(instance, stream));
    integers(21);
    FAILS(cuGraphExecNodeSetParams(instance, kernel, &set), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphNodeSetParams(fill, &set));
    n = 0;
    OK(cuGraphNodeSetParams(kernel, &launch));
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, stream));
    integers(7);
}

int main(int argc, char **argv) {
    EXPECT(argc == 2);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&peer, 1));
    OK(cuCtxSetCurrent(peer));
    OK(cuMemAlloc_v2(&other, N));
    OK(cuDevicePrimaryCtxRetain(&own, 0));
    OK(cuCtxSetCurrent(own));
    OK(cuCtxEnablePeerAccess(peer, 0));
    OK(cuMemAlloc_v2(&a, N));
    OK(cuMemAlloc_v2(&b, N));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT)); // ordered with the fills of `begin`
    lines();
    planes();
    boxes();
    fills();
    graphs(argv[1]);
    nodes_of_any_kind(argv[1]);
    puts("right");
    return 0;
}
