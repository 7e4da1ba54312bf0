//@ lens-ptx: race
//@ class: inter-kernel
// A kernel of one stream sets a flag behind the kernel that writes the data; a kernel of the other stream waits for the flag before
// the kernel that reads the data.
// The bug: the flag is set by a kernel in front of the one that writes. The clean twin sets it behind that one.
#include "../support/check.h"

constexpr int N = 256;

__global__ void produce(int *data) {
    data[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

__global__ void set(int *flag) {
    __threadfence();
    atomicExch(flag, 1);
}

__global__ void wait(int *flag) {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
}

__global__ void consume(const int *data, int *out) {
    out[threadIdx.x] = 2 * data[threadIdx.x]; //~ RACE(1)
}

int main() {
    int *data, *flag, *out, back[N];
    CHECK(cudaMalloc(&data, sizeof back));
    CHECK(cudaMalloc(&out, sizeof back));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    CHECK(cudaMemset(data, 0, sizeof back));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t producer, consumer;
    CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    set<<<1, 1, 0, producer>>>(flag);
    produce<<<1, N, 0, producer>>>(data);
    wait<<<1, 1, 0, consumer>>>(flag);
    consume<<<1, N, 0, consumer>>>(data, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (back[i] != 2 * i) return 1;
    return 0;
}
