// What happens between launches, one kind for each MODE: `kinds MODE` has a race whose sides lie on the lines that are
// marked with the mode, `kinds MODE --fixed` orders them by an event or an edge.
#include "../ui/support/check.h"
#include <cstring>

constexpr int N = 64;

__constant__ int factors[N];

__global__ void read(const int *numbers, int *out) {
    out[threadIdx.x] = numbers[threadIdx.x]; // copies copies-2d memset-2d nodes executables host-function callback
}

__global__ void write(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x; // executables
}

__global__ void scale(int *out) {
    out[threadIdx.x] = factors[threadIdx.x]; // constants
}

__global__ void sample(cudaTextureObject_t texture, int *out) {
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); // texture
}

__global__ void pass(int *number, int *flag, int *out, bool wide) {
    if (blockIdx.x == 0) {
        *number = 7; // scope
        asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory"); // scope
        return;
    }
    unsigned set = 0;
    if (wide) {
        while (!set) asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory");
    } else {
        // A processor may keep what this load reads.
        for (int i = 0; !set && i < 1 << 16; i++)
            asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory"); // scope
    }
    *out = *number; // scope
}

struct Filled {
    int *numbers;
};

void fill(void *data) {
    static_cast<Filled *>(data)->numbers[3] = 5; // host-function
}

void called(cudaStream_t, cudaError_t, void *data) {
    static_cast<Filled *>(data)->numbers[4] = 6; // callback
}

struct Between {
    cudaStream_t first, second;
    bool fixed;

    Between(bool fixed) : fixed(fixed) {
        CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    }

    // The second stream waits for the first, if the program is to be free of races.
    void waits() const {
        if (!fixed) return;
        cudaEvent_t event;
        CHECK(cudaEventCreate(&event));
        CHECK(cudaEventRecord(event, first));
        CHECK(cudaStreamWaitEvent(second, event, 0));
    }
};

cudaGraphNode_t kernel(cudaGraph_t graph, void *function, void **arguments) {
    cudaKernelNodeParams of = {};
    of.gridDim = 1;
    of.blockDim = N;
    of.func = function;
    of.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &of));
    return node;
}

void nodes(bool fixed, int *numbers, int *other, int *out, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphNode_t copy;
    CHECK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&numbers, &out};
    cudaGraphNode_t reads = kernel(graph, (void *)read, arguments);
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, fixed ? &reads : nullptr, fixed, numbers, other, N * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    CHECK(cudaGraphLaunch(made, stream)); // nodes
}

void executables(const Between &streams, int *numbers, int *out) {
    cudaGraph_t graph;
    cudaGraphExec_t first, second;
    CHECK(cudaGraphCreate(&graph, 0));
    void *written[] = {&numbers}, *reading[] = {&numbers, &out};
    cudaGraphNode_t writes = kernel(graph, (void *)write, written), reads = kernel(graph, (void *)read, reading);
    cudaGraphNode_t from[] = {writes}, to[] = {reads};
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 1));
#else
    CHECK(cudaGraphAddDependencies(graph, from, to, 1));
#endif
    CHECK(cudaGraphInstantiate(&first, graph, 0));
    CHECK(cudaGraphInstantiate(&second, graph, 0));
    CHECK(cudaGraphLaunch(first, streams.first));
    streams.waits();
    CHECK(cudaGraphLaunch(second, streams.second));
}

void texture(const Between &streams, int *numbers, int *other, int *out) {
    cudaResourceDesc memory = {};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = numbers;
    memory.res.linear.desc = cudaCreateChannelDesc<int>();
    memory.res.linear.sizeInBytes = N * sizeof(int);
    cudaTextureDesc how = {};
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &memory, &how, nullptr));
    sample<<<1, N, 0, streams.first>>>(object, out);
    streams.waits();
    CHECK(cudaMemcpyAsync(numbers, other, N * sizeof(int), cudaMemcpyDeviceToDevice, streams.second)); // texture
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    auto is = [&](const char *name) { return std::strcmp(mode, name) == 0; };
    Between streams(argc > 2);
    int *numbers, *other, *out, *pinned;
    constexpr size_t BYTES = N * sizeof(int);
    CHECK(cudaMalloc(&numbers, 2 * BYTES));
    CHECK(cudaMalloc(&other, BYTES));
    CHECK(cudaMalloc(&out, BYTES));
    CHECK(cudaMallocHost(&pinned, BYTES));
    CHECK(cudaMemset(numbers, 0, 2 * BYTES));
    CHECK(cudaMemset(other, 0, BYTES));
    CHECK(cudaDeviceSynchronize());
    Filled filled = {pinned};
    if (is("copies")) {
        read<<<1, N, 0, streams.first>>>(numbers, out);
        streams.waits();
        CHECK(cudaMemcpyAsync(numbers, other, BYTES, cudaMemcpyDeviceToDevice, streams.second)); // copies
    } else if (is("copies-2d")) {
        read<<<1, N, 0, streams.first>>>(numbers, out);
        streams.waits();
        CHECK(cudaMemcpy2DAsync(numbers, 128, other, 64, 64, 2, cudaMemcpyDeviceToDevice, streams.second)); // copies-2d
    } else if (is("memset-2d")) {
        read<<<1, N, 0, streams.first>>>(numbers, out);
        streams.waits();
        CHECK(cudaMemset2DAsync(numbers, 128, 1, 32, 2, streams.second)); // memset-2d
    } else if (is("constants")) {
        scale<<<1, N, 0, streams.first>>>(out);
        streams.waits();
        CHECK(cudaMemcpyToSymbolAsync(factors, pinned, BYTES, 0, cudaMemcpyHostToDevice, streams.second)); // constants
    } else if (is("texture")) {
        texture(streams, numbers, other, out);
    } else if (is("nodes")) {
        nodes(streams.fixed, numbers, other, out, streams.first);
    } else if (is("executables")) {
        executables(streams, numbers, out);
    } else if (is("scope")) {
        pass<<<2, 1, 0, streams.first>>>(numbers, other, out, streams.fixed);
    } else if (is("host-function")) {
        CHECK(cudaLaunchHostFunc(streams.first, fill, &filled));
        streams.waits();
        read<<<1, N, 0, streams.second>>>(pinned, out);
    } else if (is("callback")) {
        CHECK(cudaStreamAddCallback(streams.first, called, &filled, 0));
        streams.waits();
        read<<<1, N, 0, streams.second>>>(pinned, out);
    } else {
        std::fprintf(stderr, "there is no mode %s\n", mode);
        return 1;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
