//@ lens-ptx: race
//@ class: async-copy
// Pixels of an image, with their channels, are fetched by a tensor map of mode im2col.
// The bug: the block meets at __syncthreads(), which does not wait for the copy. The
// clean twin waits for the mbarrier's phase.
#include "../support/tensor.h"

constexpr int IMAGES = 4, WIDTH = 8, CHANNELS = 32;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[WIDTH][CHANNELS];
    __shared__ uint64_t loaded;
    int t = threadIdx.x;
    if (t == 0) {
        init_barrier(&loaded, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect_bytes(&loaded, sizeof tile);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(shared_pointer(tile)), "l"(&map), "r"(0), "r"(-1), "r"(blockIdx.x), "r"(shared_pointer(&loaded)), "h"(uint16_t(1)) : "memory"); //~ RACE(1)
    }
    __syncthreads();
    int value = tile[t % WIDTH][t]; //~ RACE(1)
    out[blockIdx.x * CHANNELS + t] = value;
    phase_wait(&loaded, 0); // so that the copy does not outlive the block
}

template <typename Function> Function driver(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status));
    return reinterpret_cast<Function>(found);
}

int main() {
    const int n = IMAGES * WIDTH * CHANNELS;
    static int host[n], got[IMAGES * CHANNELS];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    alignas(64) CUtensorMap map;
    cuuint64_t sizes[] = {CHANNELS, WIDTH, IMAGES}, strides[] = {CHANNELS * 4, WIDTH * CHANNELS * 4};
    cuuint32_t steps[] = {1, 1, 1};
    int lower[] = {-1}, upper[] = {-1};
    auto cuTensorMapEncodeIm2col = driver<decltype(&::cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    auto cuTensorMapReplaceAddress = driver<decltype(&::cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
    CUresult made = cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, out, sizes, strides, lower, upper, CHANNELS, WIDTH, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made == CUDA_SUCCESS) made = cuTensorMapReplaceAddress(&map, in);
    if (made != CUDA_SUCCESS) return 2;
    copy<<<IMAGES, CHANNELS>>>(map, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < IMAGES * CHANNELS; ++i) {
        int image = i / CHANNELS, t = i % CHANNELS;
        wrong += got[i] != (image * WIDTH + t % WIDTH) * CHANNELS + t;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
