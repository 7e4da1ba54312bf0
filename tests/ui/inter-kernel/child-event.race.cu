//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -arch=sm_90 -rdc=true
// A thread launches two kernels into two streams, of which the second reads what the first has stored.
// The bug: the event that the second stream waits for is recorded before the first launch.
// The clean twin records it behind the launch.
#include "../support/check.h"

constexpr int N = 64;

__global__ void produce(int *data) {
    data[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

__global__ void consume(const int *data, int *out) {
    int number = data[N - 1 - threadIdx.x]; //~ RACE(1)
    out[N - 1 - threadIdx.x] = 2 * number;
}

__global__ void parent(int *data, int *out) {
    cudaStream_t first, second;
    cudaEvent_t produced;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
    cudaEventRecord(produced, first);
    produce<<<1, N, 0, first>>>(data);
    cudaStreamWaitEvent(second, produced, 0);
    consume<<<1, N, 0, second>>>(data, out);
    cudaEventDestroy(produced);
}

int main() {
    int got[N], *data, *out, wrong = 0;
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    parent<<<1, 1>>>(data, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
