// DeepGEMM's kernels on small matrices, compared with products in plain C++: D = A * B^T of bf16 by sm_90 or sm_100
// (`BLACKWELL`), of one block (`MULTICAST` 1), of clusters of two, or, by sm_90, summed over batches (`SPLIT`).
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <random>
#include <vector>

#ifdef BLACKWELL
#include <deep_gemm/impls/sm100_bf16_gemm.cuh>
#else
#include <deep_gemm/impls/sm90_bf16_gemm.cuh>
#include <deep_gemm/impls/sm90_bmk_bnk_mn.cuh>
#endif

#ifndef MULTICAST
#define MULTICAST 1
#endif

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            std::printf("%s: %s\n", #call, cudaGetErrorString(status));                                                \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

#ifdef BLACKWELL
// Two tiles of results on their way out, and the address of tensor memory.
constexpr int SMS = 148, THREADS = 128 + 128, PAIRED = MULTICAST, EXTRA = 2 * 128 * 128 + 1024;
#else
constexpr int SMS = 132, THREADS = 128 + 256, PAIRED = 1, EXTRA = 2 * 128 * 128;
#endif
constexpr int M = 256, N = 256, K = 512, BLOCK = 128, DEPTH = 64, STAGES = 4, BATCHES = 2;
constexpr int TILE = BLOCK * DEPTH * 2, PIPELINE = STAGES * (2 * TILE + 16);

using Encode = decltype(&cuTensorMapEncodeTiled);

static Encode encoder() {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    return reinterpret_cast<Encode>(entry);
}

// A matrix of bf16, in boxes of 64 columns that are swizzled by 128 bytes.
static CUtensorMap map(void *matrix, int rows, int columns, int box_rows) {
    CUtensorMap tensor;
    const cuuint64_t extents[2] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[1] = {cuuint64_t(columns) * 2};
    const cuuint32_t box[2] = {64, cuuint32_t(box_rows)}, steps[2] = {1, 1};
    CUresult result = encoder()(&tensor, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, extents, strides, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        std::printf("no tensor map: %d\n", int(result));
        std::exit(1);
    }
    return tensor;
}

static std::vector<float> random_numbers(size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> small(-4, 4);
    std::vector<float> numbers(count);
    for (float &x : numbers) x = float(small(engine));
    return numbers;
}

static __nv_bfloat16 *to_device(const std::vector<float> &numbers) {
    std::vector<__nv_bfloat16> small(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) small[i] = __float2bfloat16(numbers[i]);
    __nv_bfloat16 *memory;
    CHECK(cudaMalloc(&memory, small.size() * sizeof small[0]));
    CHECK(cudaMemcpy(memory, small.data(), small.size() * sizeof small[0], cudaMemcpyHostToDevice));
    return memory;
}

template <class... Args> static void launch(void (*kernel)(Args...), int blocks, int bytes, Args... args) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {MULTICAST, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, args...));
    CHECK(cudaDeviceSynchronize());
}

// Compares with sums of whole numbers, which bf16 rounds and fp32 holds.
static int compare(const std::vector<float> &got, const std::vector<float> &a, const std::vector<float> &b, int batches, bool exact) {
    int wrong = 0;
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
            float sum = 0;
            for (int s = 0; s < batches; ++s)
                for (int k = 0; k < K; ++k)
                    sum += a[(size_t(s) * M + m) * K + k] * b[(size_t(s) * N + n) * K + k];
            wrong += got[size_t(m) * N + n] != (exact ? sum : __bfloat162float(__float2bfloat16(sum)));
        }
    std::printf("%d wrong: %s\n", wrong, wrong ? "failed" : "passed");
    return wrong != 0;
}

int main() {
    using namespace deep_gemm;
#ifdef SPLIT
    constexpr int batches = BATCHES, split = 4;
#else
    constexpr int batches = 1;
#endif
    std::vector<float> a = random_numbers(size_t(batches) * M * K, 1), b = random_numbers(size_t(batches) * N * K, 2), got(size_t(M) * N);
    CUtensorMap map_a = map(to_device(a), batches * M, K, BLOCK), map_b = map(to_device(b), batches * N, K, BLOCK / PAIRED);
#ifdef SPLIT
    float *d;
    CHECK(cudaMalloc(&d, got.size() * sizeof(float)));
    CHECK(cudaMemset(d, 0, got.size() * sizeof(float)));
    auto kernel = sm90_bmn_bnk_mn_gemm_impl<M, N, K, BLOCK, BLOCK, DEPTH, split, STAGES, 128, 256>;
    launch<uint32_t, CUtensorMap, CUtensorMap, float *>(
        reinterpret_cast<void (*)(uint32_t, CUtensorMap, CUtensorMap, float *)>(kernel),
        (M / BLOCK) * (N / BLOCK) * (batches * K / DEPTH / split), PIPELINE, uint32_t(batches), map_a, map_b, d);
    CHECK(cudaMemcpy(got.data(), d, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return compare(got, a, b, batches, true);
#else
    __nv_bfloat16 *d = to_device(got);
    CUtensorMap map_d = map(d, M, N, BLOCK);
    constexpr auto k_major = cute::UMMA::Major::K;
#ifdef BLACKWELL
    auto kernel = sm100_bf16_gemm_impl<k_major, k_major, 0, 0, 0, BLOCK, BLOCK, DEPTH, 1, 128, 128, 128, STAGES, 128, 128, MULTICAST,
                                       false, SMS, DEPTH, false, false, GemmType::Normal, false, cutlass::bfloat16_t, 100>;
#else
    auto kernel = sm90_bf16_gemm_impl<k_major, k_major, 0, 0, 0, 1, BLOCK, BLOCK, DEPTH, 128, 128, 128, STAGES, 128, 256,
                                      MULTICAST, false, SMS, GemmType::Normal, false, cutlass::bfloat16_t>;
#endif
    launch<int *, uint32_t, uint32_t, uint32_t, CUtensorMap, CUtensorMap, CUtensorMap>(
        reinterpret_cast<void (*)(int *, uint32_t, uint32_t, uint32_t, CUtensorMap, CUtensorMap, CUtensorMap)>(kernel), SMS,
        PIPELINE + EXTRA, nullptr, uint32_t(M), uint32_t(N), uint32_t(K), map_a, map_b, map_d);
    std::vector<__nv_bfloat16> small(got.size());
    CHECK(cudaMemcpy(small.data(), d, small.size() * sizeof small[0], cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < small.size(); ++i) got[i] = __bfloat162float(small[i]);
    return compare(got, a, b, batches, false);
#endif
}
