// Kernels of graphs that are launched, changed and launched again: `pick`'s blocks race for a word where two steps have been counted before it, which
// nobody can see who does not know what the steps before it in the graph have done. With another number as the argument none ever race.
// Prints what was counted in each launch.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                  \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));               \
            std::exit(2);                                                            \
        }                                                                            \
    } while (0)

__global__ void step(int *count) { ++*count; }

__global__ void pick(const int *count, int wanted, int *out) {
    if (*count == wanted) out[0] = blockIdx.x;
}

int main(int argc, char **argv) {
    int wanted = argc > 1 ? std::atoi(argv[1]) : 2, got = 0, *count, *out;
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, stream>>>(count);
    step<<<1, 1, 0, stream>>>(count);
    pick<<<64, 32, 0, stream>>>(count, wanted, out);
    CHECK(cudaMemsetAsync(out, 0, sizeof(int), stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < 5; i++) {
        CHECK(cudaGraphLaunch(made, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(&got, count, sizeof(int), cudaMemcpyDeviceToHost));
        std::printf("launch %d: counted %d\n", i, got);
    }
    CHECK(cudaGraphExecDestroy(made));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
