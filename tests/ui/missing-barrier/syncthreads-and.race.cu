//@ lens-ptx: race
//@ class: missing-barrier
// Values settle by looking at the other half of the block until no thread changes.
// The bug: one barrier a round, inside __syncthreads_and(), comes before the write,
// so the next round's read is not ordered with it. The clean twin adds the second.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void settle(int *values, int *rounds) {
    __shared__ int level[THREADS];
    int t = threadIdx.x;
    level[t] = values[blockIdx.x * THREADS + t];
    __syncthreads();
    int mine = level[t];
    for (int round = 1;; ++round) {
        int other = level[t ^ 32]; //~ RACE(1)
        if (__syncthreads_and(other <= mine || round == 8)) {
            if (t == 0) rounds[blockIdx.x] = round;
            break;
        }
        if (other > mine) ++mine;
        level[t] = mine; //~ RACE(1)
    }
    values[blockIdx.x * THREADS + t] = mine;
}

int main() {
    const int blocks = 2, n = blocks * THREADS;
    int host[n], *values, *rounds, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i % THREADS < 32 ? 5 : i % 4;
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMalloc(&rounds, blocks * sizeof(int)));
    CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    settle<<<blocks, THREADS>>>(values, rounds);
    CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    for (int v : host) wrong += v != 5;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
