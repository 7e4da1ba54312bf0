//@ lens-ptx: clean
//@ nvcc: -g
// A filter's weights, in constant memory, are updated beside the kernel that uses them.
// Clean: the update is on the kernel's stream.
#include "../support/check.h"

constexpr int TAPS = 5, N = 64;

__constant__ int weights[TAPS];

__global__ void filter(const int *in, int *out) {
    int sum = 0;
    for (int k = 0; k < TAPS; ++k) {
        int weight = weights[k];
        sum += weight * in[threadIdx.x + k];
    }
    out[threadIdx.x] = sum;
}

int main() {
    int got[N], host[N + TAPS], *in, *out, *values, wrong = 0;
    cudaStream_t work, other;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMallocHost(&values, TAPS * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int k = 0; k < TAPS; ++k) values[k] = 1;
    for (int i = 0; i < N + TAPS; ++i) host[i] = i;
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    cudaStream_t stream = work;
    CHECK(cudaMemcpyToSymbolAsync(weights, values, TAPS * sizeof(int), 0, cudaMemcpyHostToDevice, stream));
    filter<<<1, N, 0, work>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != TAPS * i + 10;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
