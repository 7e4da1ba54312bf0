//@ lens-ptx: clean
// Each element becomes the sum of itself and its right neighbour.
// Clean: the sums go to another array.
#include "../support/check.h"

constexpr int N = 256, BLOCK = 64;

__global__ void add_neighbour(const int *__restrict__ in, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = in[i];
    int next = i + 1 < N ? in[i + 1] : 0;
    __syncthreads();
    out[i] = mine + next;
}

int main() {
    int host[N], *numbers, *sums;
    for (int i = 0; i < N; ++i) host[i] = i;
    CHECK(cudaMalloc(&numbers, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof host));
    CHECK(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    add_neighbour<<<N / BLOCK, BLOCK>>>(numbers, sums);
    CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host[0]);
    return host[0] != 1;
}
