// Kernels of FlashInfer's headers behind functions of C, for programs.py. Each returns the error of its launch.

#include <cuda_fp16.h>

#include <flashinfer/activation.cuh>
#include <flashinfer/attention/cascade.cuh>
#include <flashinfer/norm.cuh>
#include <flashinfer/page.cuh>
#include <flashinfer/pos_enc.cuh>
#include <flashinfer/sampling.cuh>

namespace fi = flashinfer;

extern "C" int add_and_norm(half *x, half *residual, half *weight, unsigned rows, unsigned width, cudaStream_t stream) {
    return fi::norm::FusedAddRMSNorm(x, residual, weight, rows, width, width, width, 1e-6f, false, stream);
}

static __device__ __forceinline__ float silu(const float &x) { return x / (1.0f + __expf(-x)); }

extern "C" int silu_and_multiply(half *out, half *in, unsigned rows, unsigned width, cudaStream_t stream) {
    fi::activation::act_and_mul_kernel<half, silu><<<rows, width / 8, 0, stream>>>(out, in, width);
    return cudaGetLastError();
}

extern "C" int rotate(half *q, half *k, half *q_out, half *k_out, int *positions, unsigned tokens, unsigned q_heads,
                      unsigned k_heads, unsigned width, cudaStream_t stream) {
    return fi::BatchQKApplyRotaryPosIds(q, k, q_out, k_out, positions, tokens, q_heads, k_heads, width, width,
                                        q_heads * width, width, k_heads * width, width, q_heads * width, width,
                                        k_heads * width, width, false, 1.0f, 1e4f, stream);
}

extern "C" int append(half *k_pages, half *v_pages, int *indices, int *first, int *last_lengths, half *k, half *v,
                      int *requests, int *positions, unsigned tokens, unsigned batch, unsigned heads, unsigned page,
                      unsigned width, cudaStream_t stream) {
    fi::paged_kv_t<half, int> cache(heads, page, width, batch, fi::QKVLayout::kNHD, k_pages, v_pages, indices, first,
                                    last_lengths);
    return fi::AppendPagedKVCache(cache, k, v, requests, positions, tokens, heads * width, width, heads * width, width,
                                  stream);
}

extern "C" int merge(half *v_a, float *s_a, half *v_b, float *s_b, half *v, float *s, unsigned length, unsigned heads,
                     unsigned width, cudaStream_t stream) {
    return fi::MergeState(v_a, s_a, v_b, s_b, v, s, length, heads, width, stream);
}

extern "C" int renormalise(float *probabilities, float *out, unsigned rows, float top, unsigned width,
                           cudaStream_t stream) {
    return fi::sampling::TopPRenormProb<float>(probabilities, out, nullptr, rows, top, width, stream);
}

extern "C" int sample(float *probabilities, int *out, bool *valid, unsigned rows, unsigned top, unsigned width,
                      cudaStream_t stream) {
    return fi::sampling::TopKSamplingFromProb<float, int>(probabilities, out, valid, nullptr, nullptr, rows, top, width,
                                                          true, nullptr, 7, nullptr, 0, stream);
}
