// FlashAttention 3's backward kernels on small tensors, compared with gradients in plain C++.
#include "attention.h"
#include "flash_bwd_launch_template.h"

#ifndef CAUSAL
#define CAUSAL false
#endif

struct Gradients {
    Numbers q, k, v;
};

static Gradients gradients(const Extents &s, const Numbers &q, const Numbers &k, const Numbers &v, const Numbers &o, const Numbers &d_o) {
    Gradients out{Numbers(s.size()), Numbers(s.size()), Numbers(s.size())};
    for (int head = 0; head < s.heads; ++head) {
        Probabilities of = probabilities(s, head, q, k);
        for (int i = 0; i < s.positions; ++i) {
            const size_t qi = s.at(i, head);
            float delta = 0;
            for (int d = 0; d < s.dims; ++d) delta += o[qi + d] * d_o[qi + d];
            for (int j = 0; j < s.positions; ++j) {
                const size_t kj = s.at(j, head);
                float p = of.p[size_t(i) * s.positions + j], dp = 0;
                for (int d = 0; d < s.dims; ++d) dp += d_o[qi + d] * v[kj + d];
                float ds = p * (dp - delta) * s.scale();
                for (int d = 0; d < s.dims; ++d) {
                    out.v[kj + d] += p * d_o[qi + d];
                    out.q[qi + d] += ds * k[kj + d];
                    out.k[kj + d] += ds * q[qi + d];
                }
            }
        }
    }
    return out;
}

int main() {
    const Extents s{256, 2, 64, CAUSAL};
    Numbers q = random_numbers(s.size(), 1), k = random_numbers(s.size(), 2), v = random_numbers(s.size(), 3), sums;
    Numbers d_o = random_numbers(s.size(), 4), o = attention(s, q, k, v, sums);
    Flash_bwd_params params{};
    set_extents(params, s);
    params.q_ptr = to_device(q);
    params.k_ptr = to_device(k);
    params.v_ptr = to_device(v);
    params.o_ptr = to_device(o);
    params.do_ptr = to_device(d_o);
    params.dq_ptr = device<__nv_bfloat16>(s.size());
    params.dk_ptr = device<__nv_bfloat16>(s.size());
    params.dv_ptr = device<__nv_bfloat16>(s.size());
    params.do_row_stride = params.dq_row_stride = params.dk_row_stride = params.dv_row_stride = params.q_row_stride;
    params.do_head_stride = params.dq_head_stride = params.dk_head_stride = params.dv_head_stride = s.dims;
    params.do_batch_stride = params.dq_batch_stride = params.dk_batch_stride = params.dv_batch_stride = params.q_batch_stride;
    const size_t rows = size_t(s.heads) * params.seqlen_q_rounded;
    params.dq_accum_ptr = device<float>(rows * s.dims);
    params.dsoftmax_sum = device<float>(rows);
    params.softmax_lse_log2_ptr = device<float>(rows);
    params.softmax_lse_ptr = device<float>(sums.size());
    CHECK(cudaMemcpy(params.softmax_lse_ptr, sums.data(), sums.size() * sizeof(float), cudaMemcpyHostToDevice));
    params.dq_semaphore = device<int>(size_t(s.heads) * s.positions / 64);
    run_flash_bwd<90, 64, 128, 128, cutlass::bfloat16_t, CAUSAL, false, false, false, false, false, 2, 2, true, false, false, 2, 1, 2, 2, false>(params, 0);
    CHECK(cudaDeviceSynchronize());
    Gradients want = gradients(s, q, k, v, o, d_o);
    bool fine = agree("dq", from_device(params.dq_ptr, s.size()), want.q);
    fine &= agree("dk", from_device(params.dk_ptr, s.size()), want.k);
    fine &= agree("dv", from_device(params.dv_ptr, s.size()), want.v);
    return fine ? 0 : 1;
}
