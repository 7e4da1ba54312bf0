//@ lens-ptx: race
//@ class: inter-kernel
// Three kernels, each of which may begin before the one before it has ended.
// The bug: the second does not wait for the first, so it may end before that one has, and the third waits for the
// second only. In the clean twin the second waits before it ends.
#include "../support/check.h"

constexpr int N = 64;

__global__ void keys(int *key) {
    cudaTriggerProgrammaticLaunchCompletion();
    key[threadIdx.x] = threadIdx.x + 2; //~ RACE(1)
}

__global__ void cuts(int *cut) {
    cudaTriggerProgrammaticLaunchCompletion();
    cut[threadIdx.x] = threadIdx.x;
}

__global__ void merge(const int *key, const int *cut, int *out) {
    cudaGridDependencySynchronize();
    int number = key[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number + cut[threadIdx.x];
}

template <class K, class... A>
void launch(cudaStream_t stream, K kernel, A... arguments) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = N;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

int main() {
    int got[N], *key, *cut, *out, wrong = 0;
    cudaStream_t stream;
    CHECK(cudaMalloc(&key, sizeof got));
    CHECK(cudaMalloc(&cut, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&stream));
    launch(stream, keys, key);
    launch(stream, cuts, cut);
    launch(stream, merge, static_cast<const int *>(key), static_cast<const int *>(cut), out);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int each : got) wrong += each != N + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
