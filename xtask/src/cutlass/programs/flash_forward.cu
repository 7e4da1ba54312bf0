// FlashAttention 3's forward kernel on small tensors, compared with attention in plain C++.
#include "attention.h"
#include "flash_fwd_launch_template.h"

#ifndef DIMS
#define DIMS 64
#endif
#ifndef CAUSAL
#define CAUSAL false
#endif

// Only sequences of different lengths need it.
void prepare_varlen_num_blocks(Flash_fwd_params &, cudaStream_t, bool, int, int, bool) { std::abort(); }

int main() {
    const Extents s{256, 2, DIMS, CAUSAL};
    Numbers q = random_numbers(s.size(), 1), k = random_numbers(s.size(), 2), v = random_numbers(s.size(), 3), sums;
    Flash_fwd_params params{};
    set_extents(params, s);
    params.q_ptr = to_device(q);
    params.k_ptr = to_device(k);
    params.v_ptr = to_device(v);
    params.o_ptr = device<__nv_bfloat16>(s.size());
    params.softmax_lse_ptr = device<float>(size_t(s.heads) * s.positions);
    constexpr int cluster = DIMS >= 128 && !CAUSAL ? 2 : 1;
    using T = cutlass::bfloat16_t;
    run_flash_fwd<90, DIMS, DIMS, cluster, T, T, CAUSAL, false, false, false, false, false, false, false, false, false>(params, 0);
    CHECK(cudaDeviceSynchronize());
    Numbers want = attention(s, q, k, v, sums), got_sums(sums.size());
    CHECK(cudaMemcpy(got_sums.data(), params.softmax_lse_ptr, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool fine = agree("o", from_device(params.o_ptr, s.size()), want);
    fine &= agree("log of sums", got_sums, sums);
    return fine ? 0 : 1;
}
