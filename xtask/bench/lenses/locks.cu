// A hundred thousand threads add to a thousand counters, each counter under its lock.
#include <cstdio>

const int LOCKS = 1000;

__global__ void add(int *locks, volatile unsigned *counters) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) % LOCKS;
    for (bool done = false; !done;) {
        if (atomicCAS(&locks[i], 0, 1) == 0) {
            __threadfence();
            counters[i] += 1;
            __threadfence();
            atomicExch(&locks[i], 0);
            done = true;
        }
    }
}

int main() {
    const int blocks = 392, threads = 256;
    int *locks;
    unsigned *counters, host[LOCKS], sum = 0;
    cudaMalloc(&locks, LOCKS * sizeof *locks);
    cudaMalloc(&counters, LOCKS * sizeof *counters);
    cudaMemset(locks, 0, LOCKS * sizeof *locks);
    cudaMemset(counters, 0, LOCKS * sizeof *counters);
    add<<<blocks, threads>>>(locks, counters);
    cudaMemcpy(host, counters, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned one : host)
        sum += one;
    printf("%u additions by %d threads\n", sum, blocks * threads);
    return sum != blocks * threads;
}
