// What launches cost, and what grids and the host have to do with each other.
#include "kinds.h"
#include <cooperative_groups.h>

__global__ void add(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

static void launches(int count, int blocks, int threads) {
    float *x = zeros<float>(blocks * threads);
    add<<<blocks, threads>>>(x, blocks * threads);
    prepared();
    for (int i = 0; i < count; i++)
        add<<<blocks, threads>>>(x, blocks * threads);
}
KIND(launches_of_one_block) { launches(5000, 1, 32); }
KIND(launches_of_a_small_grid) { launches(1000, 8, 256); }

KIND(launches_that_are_waited_for) {
    float *x = zeros<float>(32);
    add<<<1, 32>>>(x, 32);
    prepared();
    for (int i = 0; i < 2000; i++) {
        add<<<1, 32>>>(x, 32);
        cudaDeviceSynchronize();
    }
}

__global__ void print(int turns) {
    for (int i = 0; i < turns; i++)
        printf("block %d thread %d: %d %f %s\n", blockIdx.x, threadIdx.x, i, i * 0.5, "text");
}
KIND(printf) { print<<<4, 64>>>(20); }

__global__ void grid_sync(unsigned *a, unsigned *b, int turns) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned t = grid.thread_rank(), n = grid.size();
    for (int i = 0; i < turns; i++) {
        b[t] = a[(t + 32) % n] + i;
        grid.sync();
        a[t] = b[(t + 64) % n];
        grid.sync();
    }
}
KIND(grid_sync) {
    unsigned *a = zeros<unsigned>(32 * 128), *b = zeros<unsigned>(32 * 128);
    int turns = 10;
    void *args[] = {&a, &b, &turns};
    if (cudaLaunchCooperativeKernel((void *)grid_sync, 32, 128, args, 0, nullptr) != cudaSuccess)
        std::exit(2);
}

// Blocks that hand over to the next one through a flag.
__global__ void chained_scan(unsigned *out, volatile unsigned *flag, volatile unsigned *sum) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned before;
    if (threadIdx.x == 0) {
        unsigned have = 0;
        if (blockIdx.x > 0) {
            while (flag[blockIdx.x - 1] == 0)
                ;
            __threadfence();
            have = sum[blockIdx.x - 1];
        }
        before = have;
        sum[blockIdx.x] = have + blockDim.x;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
    __syncthreads();
    out[t] = before + threadIdx.x;
}
KIND(chained_scan) { chained_scan<<<256, 128>>>(zeros<unsigned>(256 * 128), zeros<unsigned>(256), zeros<unsigned>(256)); }
