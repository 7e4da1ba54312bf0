// A module with more kernels than the program uses, for parts.py. `ways` uses some in every way that there is, and says
// whether the results are right; `few` launches two.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

__device__ int symbol = 5;

__device__ __noinline__ int turned(int *s, int v) {
    s[threadIdx.x] = v;
    __syncthreads();
    int got = s[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return got;
}

template <int N>
__global__ void work(int *out) {
    extern __shared__ int s[];
    int v = threadIdx.x;
    for (int i = 0; i < N + 1; i++) v = turned(s, v);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + N;
    if (v < 0) printf("never %d\n", v);
}

template <int N>
__global__ void all(int *out) {
    cg::grid_group grid = cg::this_grid();
    int me = grid.thread_rank();
    out[me] = me * N;
    grid.sync();
    int other = out[(me + 33) % grid.size()];
    grid.sync();
    out[me] = other + int(100 * sinf(1e6f * N)) * 0;
}

__global__ void with_symbol(int *out) { out[threadIdx.x] = symbol; }

template <int N>
int launched(int *d) {
    cudaFuncSetAttribute(work<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    int blocks = 0, h[512];
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work<N>, 256, 1024);
    work<N><<<2, 256, 100 << 10>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = blocks < 1;
    for (int i = 0; i < 512; i++) wrong += h[i] != (i + N + 1) % 256 + N;
    return wrong;
}

// As many blocks as there is room for.
template <int N>
int cooperative(int *d) {
    int blocks = 0, processors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all<N>, 256, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    blocks *= processors;
    void *args[] = {&d};
    int wrong = cudaLaunchCooperativeKernel((void *)all<N>, dim3(blocks), dim3(256), args, 0, 0);
    int n = blocks * 256, *h = new int[n];
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) wrong += h[i] != (i + 33) % n * N;
    return wrong;
}

// Kernels that are first used in a captured stream, and in a node.
int graph(int *d) {
    int h[256], wrong = 0, *e = d + 4096;
    cudaStream_t s;
    cudaGraph_t g;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    work<7><<<1, 256, 1024, s>>>(d);
    wrong += cudaStreamEndCapture(s, &g);
    cudaGraphNode_t node, first;
    size_t one = 1;
    cudaGraphGetNodes(g, &first, &one);
    void *args[] = {&e};
    cudaKernelNodeParams p = {};
    p.func = (void *)work<9>, p.gridDim = dim3(1), p.blockDim = dim3(256), p.sharedMemBytes = 1024, p.kernelParams = args;
    wrong += cudaGraphAddKernelNode(&node, g, &first, 1, &p);
    cudaGraphExec_t exec;
    wrong += cudaGraphInstantiate(&exec, g, 0);
    wrong += cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) wrong += h[i] != (i + 8) % 256 + 7;
    cudaMemcpy(h, e, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) wrong += h[i] != (i + 10) % 256 + 9;
    return wrong;
}

int variable(int *d) {
    int h[256], seven = 7;
    cudaMemcpyToSymbol(symbol, &seven, sizeof seven);
    with_symbol<<<1, 256>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h[3] != 7;
}

// Brings a hundred more kernels into the module, which are not launched.
template <int N>
int more(int *d) {
    if constexpr (N == 0) return 0;
    else return launched<10 + N>(d) + more<N - 1>(d);
}

int main(int argc, char **argv) {
    int *d, wrong = 0;
    cudaMalloc(&d, 64 << 20);
    bool ways = argc > 1 && !strcmp(argv[1], "ways");
    wrong += launched<0>(d) + launched<1>(d);
    if (ways) wrong += launched<5>(d) + cooperative<2>(d) + graph(d) + variable(d);
    if (!d) wrong += more<100>(d);
    printf("%s, %s\n", wrong ? "wrong" : "right", cudaGetErrorString(cudaDeviceSynchronize()));
    return wrong != 0;
}
