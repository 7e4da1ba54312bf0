// What the program is given decides: pairs whose host code differs, and whose kernels are the same. `warprace prove --` reads the host
// code. NAME_clean has no race for whatever the program is given; NAME_race has one for something that it may be given;
// of NAME_open neither is known.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CASE __attribute__((noinline)) static void

__device__ void rows(int *m, int pitch) { m[blockIdx.x * pitch + threadIdx.x] = blockIdx.x; }
__device__ void bins(int *m, int count) { m[(blockIdx.x * blockDim.x + threadIdx.x) % count] = threadIdx.x; }
__device__ void both(float *low, float *high) {
    low[threadIdx.x] = 1.0f;
    high[threadIdx.x] = 2.0f;
}
__device__ void turn(const float *in, float *out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// The host refuses short rows, in two comparisons, in one, and after a default value.
__global__ void checked_clean(int *m, int pitch) { rows(m, pitch); }
__global__ void checked_race(int *m, int pitch) { rows(m, pitch); }
CASE checked(int argc, char **argv, int *m) {
    int pitch = argc > 1 ? std::atoi(argv[1]) : 64, count = argc > 2 ? std::atoi(argv[2]) : 4;
    if (pitch < 64 || pitch > 4096 || count < 1 || count > 1000) return;
    checked_clean<<<count, 64>>>(m, pitch);
}
CASE unchecked(int argc, char **argv, int *m) {
    int pitch = argc > 1 ? std::atoi(argv[1]) : 64, count = argc > 2 ? std::atoi(argv[2]) : 4;
    if (pitch < 63 || pitch > 4096 || count < 1 || count > 1000) return;
    checked_race<<<count, 64>>>(m, pitch);
}

// Each thread has a bin of its own only if there are enough of them.
__global__ void bins_clean(int *m, int count) { bins(m, count); }
__global__ void bins_race(int *m, int count) { bins(m, count); }
CASE many_bins(int argc, char **argv, int *m) {
    int count = argc > 1 ? std::atoi(argv[1]) : 128;
    if (count < 128 || count > 512) return;
    bins_clean<<<2, 64>>>(m, count);
}
CASE few_bins(int argc, char **argv, int *m) {
    int count = argc > 1 ? std::atoi(argv[1]) : 128;
    if (count < 1 || count > 512) return;
    bins_race<<<2, 64>>>(m, count);
}

// Two parts of one array, at a distance that is checked.
__global__ void parts_clean(float *low, float *high) { both(low, high); }
__global__ void parts_race(float *low, float *high) { both(low, high); }
CASE far_parts(int argc, char **argv, float *all) {
    int skip = argc > 1 ? std::atoi(argv[1]) : 64;
    if (skip < 64 || skip > 128) return;
    parts_clean<<<1, 64>>>(all, all + skip);
}
CASE near_parts(int argc, char **argv, float *all) {
    int skip = argc > 1 ? std::atoi(argv[1]) : 64;
    if (skip < 0 || skip > 128) return;
    parts_race<<<1, 64>>>(all, all + skip);
}

// One of two arrays: the same one, perhaps.
__global__ void chosen_clean(float *low, float *high) { both(low, high); }
__global__ void chosen_race(float *low, float *high) { both(low, high); }
CASE chosen(int argc, char **, float *a, float *b, float *c) {
    chosen_clean<<<1, 64>>>(a, argc > 1 ? b : c);
    chosen_race<<<1, 64>>>(a, argc > 1 ? a + 1 : b);
}

// The block has one warp at most.
__global__ void warp_clean(const float *in, float *out) { turn(in, out); }
__global__ void warp_race(const float *in, float *out) { turn(in, out); }
CASE one_warp(float *in, float *out) {
    const char *text = std::getenv("LANES");
    int lanes = text ? std::atoi(text) : 32;
    if (lanes > 32) lanes = 32;
    if (lanes < 1) return;
    warp_clean<<<1, lanes, lanes * sizeof(float)>>>(in, out);
}
CASE two_warps(float *in, float *out) {
    const char *text = std::getenv("LANES");
    int lanes = text ? std::atoi(text) : 32;
    if (lanes > 64) lanes = 64;
    if (lanes < 1) return;
    warp_race<<<1, lanes, lanes * sizeof(float)>>>(in, out);
}

// A pitch that wraps around is small, as with the arguments 1048576 and 4096.
__global__ void product_clean(int *m, int pitch) { rows(m, pitch); }
__global__ void product_race(int *m, int pitch) { rows(m, pitch); }
CASE products(int argc, char **argv, int *m) {
    unsigned width = argc > 1 ? std::atoi(argv[1]) : 64, height = argc > 2 ? std::atoi(argv[2]) : 2;
    if (width < 64 || height < 1) return;
    if (width < 1024 && height < 1024) product_clean<<<4, 64>>>(m, width * height);
    product_race<<<4, 64>>>(m, width * height);
}

// A counter that goes down is no constant.
__global__ void down_clean(int *m, int count) { bins(m, count); }
__global__ void down_race(int *m, int count) { bins(m, count); }
CASE down(int argc, char **argv, int *m) {
    int least = argc > 1 ? std::atoi(argv[1]) : 128;
    if (least < 1) return;
    for (int count = 256; count >= least; count -= 32) down_race<<<1, 128>>>(m, count);
    if (least < 128) return;
    for (int count = 256; count >= least; count -= 32) down_clean<<<1, 128>>>(m, count);
}

int main(int argc, char **argv) {
    int *m;
    float *a, *b, *c;
    cudaMalloc(&m, 1 << 22);
    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&b, 1 << 20);
    cudaMalloc(&c, 1 << 20);
    checked(argc, argv, m);
    unchecked(argc, argv, m);
    many_bins(argc, argv, m);
    few_bins(argc, argv, m);
    far_parts(argc, argv, a);
    near_parts(argc, argv, a);
    chosen(argc, argv, a, b, c);
    one_warp(a, b);
    two_warps(a, b);
    products(argc, argv, m);
    down(argc, argv, m);
    return cudaDeviceSynchronize() != cudaSuccess;
}
