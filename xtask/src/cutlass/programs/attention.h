// Attention over small tensors in plain C++, and FlashAttention 3's arguments for them.
//
// Tensors are (position, head, dimension), of one batch; numbers are bf16 on the device and float here.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <random>
#include <vector>

#include "flash.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            std::printf("%s: %s\n", #call, cudaGetErrorString(status));                                                \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

using Numbers = std::vector<float>;

struct Extents {
    int positions, heads, dims;
    bool causal;
    size_t size() const { return size_t(positions) * heads * dims; }
    size_t at(int position, int head) const { return (size_t(position) * heads + head) * dims; }
    float scale() const { return 1.0f / std::sqrt(float(dims)); }
};

inline float rounded(float x) { return __bfloat162float(__float2bfloat16(x)); }

inline Numbers random_numbers(size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal(0, 1);
    Numbers numbers(count);
    for (float &x : numbers) x = rounded(normal(engine));
    return numbers;
}

template <class T> T *device(size_t count) {
    T *memory;
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    CHECK(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

inline __nv_bfloat16 *to_device(const Numbers &numbers) {
    std::vector<__nv_bfloat16> small(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) small[i] = __float2bfloat16(numbers[i]);
    auto *memory = device<__nv_bfloat16>(small.size());
    CHECK(cudaMemcpy(memory, small.data(), small.size() * sizeof small[0], cudaMemcpyHostToDevice));
    return memory;
}

inline Numbers from_device(const void *memory, size_t count) {
    std::vector<__nv_bfloat16> small(count);
    CHECK(cudaMemcpy(small.data(), memory, count * sizeof small[0], cudaMemcpyDeviceToHost));
    Numbers numbers(count);
    for (size_t i = 0; i < count; ++i) numbers[i] = __bfloat162float(small[i]);
    return numbers;
}

// The probabilities of one head, and the logarithm of each row's sum.
struct Probabilities {
    Numbers p, log_sum;
};

inline Probabilities probabilities(const Extents &s, int head, const Numbers &q, const Numbers &k) {
    Probabilities out{Numbers(size_t(s.positions) * s.positions), Numbers(s.positions)};
    for (int i = 0; i < s.positions; ++i) {
        int last = s.causal ? i : s.positions - 1;
        float *row = &out.p[size_t(i) * s.positions], most = -INFINITY, sum = 0;
        for (int j = 0; j <= last; ++j) {
            float dot = 0;
            for (int d = 0; d < s.dims; ++d) dot += q[s.at(i, head) + d] * k[s.at(j, head) + d];
            row[j] = dot * s.scale();
            most = std::fmax(most, row[j]);
        }
        for (int j = 0; j <= last; ++j) sum += row[j] = std::exp(row[j] - most);
        for (int j = 0; j <= last; ++j) row[j] /= sum;
        out.log_sum[i] = most + std::log(sum);
    }
    return out;
}

inline Numbers attention(const Extents &s, const Numbers &q, const Numbers &k, const Numbers &v, Numbers &log_sums) {
    Numbers o(s.size());
    log_sums.assign(size_t(s.heads) * s.positions, 0);
    for (int head = 0; head < s.heads; ++head) {
        Probabilities of = probabilities(s, head, q, k);
        for (int i = 0; i < s.positions; ++i) {
            log_sums[size_t(head) * s.positions + i] = of.log_sum[i];
            for (int j = 0; j < s.positions; ++j)
                for (int d = 0; d < s.dims; ++d)
                    o[s.at(i, head) + d] += of.p[size_t(i) * s.positions + j] * v[s.at(j, head) + d];
        }
    }
    return o;
}

inline void set_extents(Flash_fwd_params &params, const Extents &s) {
    const int64_t row = int64_t(s.heads) * s.dims, batch = row * s.positions;
    params.is_bf16 = true;
    params.q_row_stride = params.k_row_stride = params.v_row_stride = params.o_row_stride = row;
    params.q_head_stride = params.k_head_stride = params.v_head_stride = params.o_head_stride = s.dims;
    params.q_batch_stride = params.k_batch_stride = params.v_batch_stride = params.o_batch_stride = batch;
    params.v_dim_stride = 1;
    params.b = params.b_k = 1;
    params.h = params.h_k = s.heads;
    params.seqlen_q = params.seqlen_k = s.positions;
    params.seqlen_q_rounded = params.seqlen_k_rounded = (s.positions + 127) / 128 * 128;
    params.total_q = params.total_k = s.positions;
    params.d = params.dv = params.d_rounded = params.dv_rounded = s.dims;
    params.scale_softmax = s.scale();
    params.is_causal = s.causal;
    params.window_size_left = s.positions - 1;
    params.window_size_right = s.causal ? 0 : s.positions - 1;
    params.num_splits = 1;
    params.p_dropout = params.rp_dropout = 1;
    params.arch = 90;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    params.num_sm = prop.multiProcessorCount;
    params.tile_count_semaphore = device<int>(1);
}

// Prints the largest difference, and returns whether it is that of roundings.
inline bool agree(const char *what, const Numbers &got, const Numbers &want) {
    float most = 0;
    for (size_t i = 0; i < want.size(); ++i) {
        float off = std::fabs(got[i] - want[i]);
        if (!(off <= most)) most = off;
    }
    bool fine = most < 0.05f;
    std::printf("%s: largest difference %g: %s\n", what, most, fine ? "passed" : "failed");
    return fine;
}
