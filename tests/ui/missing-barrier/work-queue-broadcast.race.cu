//@ lens-ptx: race
//@ class: missing-barrier
// Persistent blocks: one warp fetches the number of the next job, the other does it.
// The bug: the number is overwritten with the next one while the working warp has yet to
// read it. The clean twin has a second barrier.
#include "../support/check.h"

__global__ void work(int *next_job, int jobs, int rounds, int *results) {
    __shared__ int job;
    int t = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        if (t == 0) {
            int fetched = atomicAdd(next_job, 1);
            job = fetched; //~ RACE(1)
        }
        __syncthreads();
        if (t >= 32) {
            int mine = job; //~ RACE(1)
            if (mine < jobs) results[mine * 32 + t - 32] = mine + 1;
        }
    }
}

int main() {
    const int jobs = 10, blocks = 3, n = jobs * 32;
    int got[n], *next_job, *results, wrong = 0;
    CHECK(cudaMalloc(&next_job, sizeof(int)));
    CHECK(cudaMalloc(&results, sizeof got));
    CHECK(cudaMemset(next_job, 0, sizeof(int)));
    CHECK(cudaMemset(results, 0, sizeof got));
    work<<<blocks, 64>>>(next_job, jobs, 4, results);
    CHECK(cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / 32 + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
//@ engine-collide: race
