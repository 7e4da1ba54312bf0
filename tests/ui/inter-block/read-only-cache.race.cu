//@ lens-ptx: race
//@ class: inter-block
// Each element becomes the sum of itself and its right neighbour, in place.
// The bug: `const __restrict__` promises that nobody writes what is read, but the last thread of a block reads
// the first element of the next block. The clean twin writes to another array.
#include "../support/check.h"

constexpr int N = 256, BLOCK = 64;

__global__ void add_neighbour(const int *__restrict__ in, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = in[i];
    int next = i + 1 < N ? in[i + 1] : 0; //~ RACE(1)
    __syncthreads();
    out[i] = mine + next; //~ RACE(1)
}

int main() {
    int host[N], *numbers, *sums;
    for (int i = 0; i < N; ++i) host[i] = i;
    CHECK(cudaMalloc(&numbers, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof host));
    CHECK(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    add_neighbour<<<N / BLOCK, BLOCK>>>(numbers, numbers);
    CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host[0]);
    return host[0] != 1;
}
//@ engine-guard: race
