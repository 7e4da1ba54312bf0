//@ lens-ptx: race
//@ class: async-copy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Pixels of an image and their halo are fetched along W.
// The bug: the block meets at __syncthreads(), which does not wait for the pixels. The clean twin waits for the mbarrier's phase.
#include "../support/tensor.h"

constexpr int IMAGES = 4, WIDTH = 8, HALO = 2, CHANNELS = 32;

__global__ void copy(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(1024) int tile[WIDTH][CHANNELS];
    __shared__ uint64_t loaded;
    int t = threadIdx.x, pixel = t % WIDTH;
    if (t == 0) {
        init_barrier(&loaded, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect_bytes(&loaded, sizeof tile);
        asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6, %7};" ::"r"(shared_pointer(tile)), "l"(&map), "r"(0), "r"(0), "r"(blockIdx.x), "r"(shared_pointer(&loaded)), "h"(uint16_t(HALO)), "h"(uint16_t(0)) : "memory"); //~ RACE(1)
    }
    __syncthreads();
    out[blockIdx.x * CHANNELS + t] = tile[pixel][t ^ pixel << 2]; // swizzled in units of four words //~ RACE(1)
    phase_wait(&loaded, 0); // so that the copy does not outlive the block
}

int main() {
    const int n = IMAGES * WIDTH * CHANNELS;
    static int host[n], got[IMAGES * CHANNELS];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2colWide", &found, 12080, cudaEnableDefault, &status));
    auto cuTensorMapEncodeIm2colWide = reinterpret_cast<decltype(&::cuTensorMapEncodeIm2colWide)>(found);
    alignas(64) CUtensorMap map;
    cuuint64_t sizes[] = {CHANNELS, WIDTH, IMAGES}, strides[] = {CHANNELS * 4, WIDTH * CHANNELS * 4};
    cuuint32_t steps[] = {1, 1, 1};
    CUresult made = cuTensorMapEncodeIm2colWide(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, in, sizes, strides, 0, 0, CHANNELS, WIDTH - HALO, steps,
                                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B,
                                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
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
//@ arch: 100
//@ engine-guard: race
