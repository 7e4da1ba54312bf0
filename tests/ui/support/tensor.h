// Tensor maps, copies by them, and mbarriers, as the fixtures of tensor copies use them.
#pragma once

#include "check.h"
#include <cstdint>
#include <cuda.h>

// The map of a row-major matrix of `rows` by `columns` words, in boxes of `box_rows` by `box_columns`.
inline CUtensorMap map_of(const void *matrix, int rows, int columns, int box_rows, int box_columns) {
    using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status));
    alignas(64) CUtensorMap map;
    cuuint64_t sizes[] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[] = {cuuint64_t(columns) * 4};
    cuuint32_t box[] = {cuuint32_t(box_columns), cuuint32_t(box_rows)}, steps[] = {1, 1};
    Encode cuTensorMapEncodeTiled = reinterpret_cast<Encode>(found);
    CUresult made = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, const_cast<void *>(matrix), sizes, strides, box, steps,
                                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) {
        std::fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", int(made));
        std::exit(2);
    }
    return map;
}

static __device__ __forceinline__ uint32_t shared_pointer(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void init_barrier(uint64_t *barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_pointer(barrier)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void expect_bytes(uint64_t *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_pointer(barrier)), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void phase_wait(uint64_t *barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_pointer(barrier)), "r"(parity)
                     : "memory");
}
