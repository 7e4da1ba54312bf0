//@ lens-ptx: race
//@ class: inter-kernel
//@ nvcc: -Xcompiler -pthread
// One host thread launches a kernel and ends, the next launches another.
// The bug: joining the thread orders the launches, not the kernels. In the clean twin
// the first thread waits for its stream before it ends.
#include "../support/check.h"
#include <thread>

constexpr int N = 64;

__global__ void produce(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

__global__ void consume(const int *numbers, int *out) {
    int number = numbers[N - 1 - threadIdx.x]; //~ RACE(1)
    out[threadIdx.x] = number;
}

int main() {
    int got[N], *numbers, *out, wrong = 0;
    cudaStream_t first, second;
    CHECK(cudaMalloc(&numbers, sizeof got));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    std::thread producer([=] {
        produce<<<1, N, 0, first>>>(numbers);
    });
    producer.join();
    std::thread consumer([=] { consume<<<1, N, 0, second>>>(numbers, out); });
    consumer.join();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
