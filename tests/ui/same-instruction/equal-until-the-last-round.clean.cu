//@ lens-ptx: clean
// A warp writes down a number in each round.
// Clean: one lane writes.
#include "../support/check.h"

__global__ void note(const int *rounds, int *last) {
    int n = *rounds;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        int number = i + 1 < n ? i : threadIdx.x;
        if (threadIdx.x == 0)
            *last = number;
        __syncwarp();
    }
}

int main() {
    int got, n = 40, *rounds, *last;
    CHECK(cudaMalloc(&rounds, sizeof(int)));
    CHECK(cudaMalloc(&last, sizeof(int)));
    CHECK(cudaMemcpy(rounds, &n, sizeof n, cudaMemcpyHostToDevice));
    note<<<1, 32>>>(rounds, last);
    CHECK(cudaMemcpy(&got, last, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s\n", got == 0 ? "the first lane's" : "another lane's");
    return got != 0;
}
