// Threads release so often that a clock of 28 bits runs out, and then two kernels race.
#include <cstdio>
#include <cuda/atomic>

__global__ void release(int *flags, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[i % 65536]);
    for (int n = 0; n < times; n++) flag.fetch_add(1, cuda::memory_order_release);
}

__global__ void put(int *to, int value) { to[threadIdx.x] = value; }

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 12;
    int *flags, *to;
    cudaMalloc(&flags, 65536 * sizeof(int));
    cudaMalloc(&to, 256 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    for (int round = 0; round < rounds; round++) {
        release<<<4096, 256, 0, first>>>(flags, 32);
        cudaStreamSynchronize(first);
    }
    put<<<1, 256, 0, first>>>(to, 1);
    put<<<1, 256, 0, second>>>(to, 2);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
