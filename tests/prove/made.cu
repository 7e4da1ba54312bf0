// Kernels of which only executing the host code tells whether they have a race: `warprace prove -- nvcc … made.cu` does.
// Names end with what is true of the launches below; the program itself need not run.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <cuda.h>

// An index array that a loop on the host fills, or a copy of one.
__global__ void permuted_clean(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void permuted_race(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }

// A container of the host's, reversed, or with an element twice.
__global__ void reversed_clean(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void reversed_race(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }

// Constants that are copied to a variable.
__constant__ int width[2];
__global__ void columns_clean(int *a) { a[blockIdx.x * width[0] + threadIdx.x] = 1; }
__global__ void columns_race(int *a) { a[blockIdx.x * width[1] + threadIdx.x] = 1; }

// A variable that nobody writes to holds what is written beside it, and one that a kernel has written to what that one leaves.
__device__ int step = 64;
__device__ int stride = 64;
__global__ void change(int n) {
    if (threadIdx.x == 0) stride = n;
}
__global__ void stepped_clean(int *a) { a[blockIdx.x * step + threadIdx.x] = 1; }
__global__ void strided_race(int *a) { a[blockIdx.x * stride + threadIdx.x] = 1; }

// Locks that their module's variables hold: one that is free, and one that a kernel may have taken.
__device__ int lock;
__device__ int taken;
__device__ void acquire(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
}
__device__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void take(int *a) { taken = a[0]; }
__global__ void locked_clean(int *a) {
    acquire(&lock);
    *a += 1;
    release(&lock);
}
__global__ void locked_race(int *a) {
    acquire(&lock);
    release(&lock);
    *a += 1;
}
__global__ void locked_open(int *a) {
    acquire(&taken);
    release(&taken);
    *a += 1;
}

// Zeros that `cudaMemset` leaves, or ones.
__global__ void flagged_clean(int *a, const int *flag) { a[flag[0] ? 0 : threadIdx.x] = 1; }
__global__ void flagged_race(int *a, const int *flag) { a[flag[0] ? 0 : threadIdx.x] = 1; }

// What another kernel has written is known if it leaves the same in every order of its threads and is over by then.
__global__ void fill(int *index) { index[threadIdx.x] = threadIdx.x / 2; }
__global__ void turn(int *index) { index[threadIdx.x] = 99 - index[threadIdx.x]; }
__global__ void count(int *index) { index[threadIdx.x] = atomicAdd(index + 100, 1); }
__global__ void filled_race(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void filled_clean(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void beside_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void written_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void counted_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
// One that only reads it leaves it as it is.
__global__ void only_reads(int *a, const int *index) { a[threadIdx.x] = index[threadIdx.x]; }
__global__ void kept_clean(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }

// Configurations with attributes.
__global__ void configured_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }
__global__ void configured_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }
// One of which the attributes are not known.
__global__ void attributed_open(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }

// On one way of two; on the only one that goes on; on both.
__global__ void branched_open(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }
__global__ void alone_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }
__global__ void twice_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 2; }

// By handles of the driver's, with an array of arguments.
extern "C" __global__ void handled_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 3; }
extern "C" __global__ void handled_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 3; }

// Nodes of a graph, and launches that a stream puts down in one: what memory holds then is not known.
__global__ void node_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 4; }
__global__ void node_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 4; }
__global__ void captured_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 5; }
__global__ void captured_race(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 5; }
__global__ void captured_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }

// A structure that is passed whole, filled in a loop.
struct Rows {
    int *begin[4];
    int pitch;
};
__global__ void rows_clean(Rows rows) { rows.begin[blockIdx.x][threadIdx.x] = rows.pitch; }
__global__ void rows_race(Rows rows) { rows.begin[blockIdx.x][threadIdx.x] = rows.pitch; }

// Behind a loop of which the end is not known, and on one way or another.
__global__ void behind_clean(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = 6; }
__global__ void either_clean(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }
__global__ void either_open(int *a, const int *index) { a[index[threadIdx.x]] = threadIdx.x; }

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

template <class T> static T *copied(const std::vector<T> &from) {
    T *to;
    check(cudaMalloc(&to, from.size() * sizeof(T)));
    check(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

static void handles(int *a) {
    CUmodule module;
    CUfunction clean, race;
    if (cuInit(0) != CUDA_SUCCESS || cuModuleLoad(&module, "made.ptx") != CUDA_SUCCESS) return;
    cuModuleGetFunction(&clean, module, "handled_clean");
    cuModuleGetFunction(&race, module, "handled_race");
    int pitch = 64, narrow = 63;
    void *first[] = {&a, &pitch}, *second[] = {&a, &narrow};
    cuLaunchKernel(clean, 4, 1, 1, 64, 1, 1, 0, nullptr, first, nullptr);
    cuLaunchKernel(race, 4, 1, 1, 64, 1, 1, 0, nullptr, second, nullptr);
}

static void node(cudaGraph_t graph, void *kernel, int *a, int pitch) {
    void *arguments[] = {&a, &pitch};
    cudaKernelNodeParams parameters = {};
    parameters.func = kernel;
    parameters.gridDim = dim3(4);
    parameters.blockDim = dim3(64);
    parameters.kernelParams = arguments;
    cudaGraphNode_t made;
    check(cudaGraphAddKernelNode(&made, graph, nullptr, 0, &parameters));
}

int main() {
    int *a;
    check(cudaMalloc(&a, 1 << 16));

    int *index = (int *)malloc(64 * sizeof(int));
    int *device;
    check(cudaMalloc(&device, 64 * sizeof(int)));
    for (int i = 0; i < 64; i++) index[i] = i * 5 % 64;
    check(cudaMemcpy(device, index, 64 * sizeof(int), cudaMemcpyHostToDevice));
    permuted_clean<<<1, 64>>>(a, device);
    for (int i = 0; i < 64; i++) index[i] = i * 6 % 64;
    check(cudaMemcpy(device, index, 64 * sizeof(int), cudaMemcpyHostToDevice));
    permuted_race<<<1, 64>>>(a, device);

    std::vector<int> list(100);
    std::iota(list.begin(), list.end(), 0);
    std::reverse(list.begin(), list.end());
    reversed_clean<<<1, 100>>>(a, copied(list));
    list[7] = list[93];
    reversed_race<<<1, 100>>>(a, copied(list));

    int widths[] = {64, 32};
    check(cudaMemcpyToSymbol(width, widths, sizeof widths));
    columns_clean<<<4, 64>>>(a);
    columns_race<<<4, 64>>>(a);
    locked_race<<<4, 1>>>(a);
    change<<<1, 32>>>(32);
    stepped_clean<<<4, 64>>>(a);
    strided_race<<<4, 64>>>(a);

    locked_clean<<<4, 1>>>(a);
    take<<<1, 1>>>(a);
    locked_open<<<4, 1>>>(a);

    int *flag;
    check(cudaMalloc(&flag, 4));
    check(cudaMemset(flag, 0, 4));
    flagged_clean<<<1, 64>>>(a, flag);
    check(cudaMemset(flag, 1, 4));
    flagged_race<<<1, 64>>>(a, flag);

    std::iota(list.begin(), list.end(), 0);
    int *other = copied(list);
    fill<<<1, 100>>>(other);
    filled_race<<<1, 100>>>(a, other);
    int *turned = copied(list);
    turn<<<1, 100>>>(turned);
    turn<<<1, 50>>>(turned);
    filled_clean<<<1, 50>>>(a, turned);
    cudaStream_t another;
    check(cudaStreamCreateWithFlags(&another, cudaStreamNonBlocking));
    int *beside = copied(list);
    fill<<<1, 100, 0, another>>>(beside);
    beside_open<<<1, 100>>>(a, beside);
    int *written = copied(list);
    fill<<<1, 100>>>(written);
    check(cudaMemcpy(written, list.data(), 200, cudaMemcpyHostToDevice));
    written_open<<<1, 100>>>(a, written);
    int *counted;
    check(cudaMalloc(&counted, 101 * sizeof(int)));
    check(cudaMemset(counted, 0, 101 * sizeof(int)));
    count<<<1, 100>>>(counted);
    counted_open<<<1, 100>>>(a, counted);
    int *third = copied(list);
    for (int i = 0; i < 3; i++) {
        only_reads<<<1, 100>>>(a, third);
        kept_clean<<<1, 100>>>(a, third);
    }

    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(4);
    configuration.blockDim = dim3(64);
    cudaLaunchAttribute attributes[1];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = 2;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    configuration.attrs = attributes;
    configuration.numAttrs = 1;
    check(cudaLaunchKernelEx(&configuration, configured_clean, a, 64));
    check(cudaLaunchKernelEx(&configuration, configured_race, a, 63));
    attributes[0].id = (cudaLaunchAttributeID)rand();
    check(cudaLaunchKernelEx(&configuration, attributed_open, a, 63));

    handles(a);

    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    check(cudaGraphCreate(&graph, 0));
    node(graph, (void *)node_clean, a, 64);
    node(graph, (void *)node_race, a, 63);
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphLaunch(executable, stream));
    int *known = copied(list);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    captured_clean<<<4, 64, 0, stream>>>(a, 64);
    captured_race<<<4, 64, 0, stream>>>(a, 63);
    captured_open<<<1, 100, 0, stream>>>(a, known);
    check(cudaStreamEndCapture(stream, &graph));

    Rows rows, same;
    for (int i = 0; i < 4; i++) {
        check(cudaMalloc(&rows.begin[i], 256));
        same.begin[i] = rows.begin[i / 2];
    }
    rows.pitch = same.pitch = 3;
    rows_clean<<<4, 64>>>(rows);
    rows_race<<<4, 64>>>(same);

    // Of two ways that nobody knows, one may be no way on.
    configuration.numAttrs = 0;
    if (rand() % 3 == 0) check(cudaLaunchKernelEx(&configuration, branched_open, a, 63));
    if (rand() % 3 == 0) {
        check(cudaLaunchKernelEx(&configuration, alone_race, a, 63));
    } else {
        fprintf(stderr, "it cannot go on\n");
        exit(1);
    }
    if (rand() % 3 == 0) {
        check(cudaLaunchKernelEx(&configuration, twice_race, a, 63));
        printf("one\n");
    } else {
        printf("two\n");
        check(cudaLaunchKernelEx(&configuration, twice_race, a, 63));
    }

    // Numbers that nobody knows.
    while (rand() % 7) printf("not yet\n");
    behind_clean<<<4, 64>>>(a, 64);
    std::iota(list.begin(), list.end(), 0);
    if (rand() % 2) std::reverse(list.begin(), list.end());
    either_open<<<1, 100>>>(a, copied(list));
    std::iota(list.begin(), list.end(), 0);
    if (rand() % 2) list[0] = 99, list[99] = 0;
    list[0] = 99, list[99] = 0;
    either_clean<<<1, 100>>>(a, copied(list));
    check(cudaDeviceSynchronize());
    return 0;
}
