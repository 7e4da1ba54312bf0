// Arithmetic and conversions, in registers.
#include "kinds.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Each thread computes a chain and stores its end.
#define CHAIN(kind, type, turns, start, step)                                                                          \
    __global__ void kind(type *out, int n) {                                                                           \
        int t = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        type x = start;                                                                                                \
        for (int i = 0; i < n; i++)                                                                                    \
            { step; }                                                                                                  \
        out[t] = x;                                                                                                    \
    }                                                                                                                  \
    KIND(kind) { kind<<<64, 256>>>(zeros<type>(64 * 256), turns); }

CHAIN(f32_fma, float, 2000, t, x = x * 1.0001f + 0.5f)
CHAIN(f32_mixed, float, 1000, t, x = fminf(x - 1.5f, 100.f) * 0.75f + fabsf(x))
CHAIN(f32_division, float, 300, t + 1, x = 3.5f / (x + 1.25f))
CHAIN(u64_multiply, unsigned long long, 2000, t, x = x * 6364136223846793005ull + 1442695040888963407ull)
CHAIN(u64_division, unsigned long long, 300, ~0ull / (t + 3), x = (x + 0x123456789abcdefull) / (i + 7) ^ x << 40)
CHAIN(u64_remainder, unsigned long long, 300, ~0ull / (t + 3), x = (x << 9 | 5) % (0x1234567ull + i))
CHAIN(f64_fma, double, 1000, t, x = x * 1.0001 + 0.5)
CHAIN(f64_square_root, double, 300, t, x = sqrt(x + 2.0))
CHAIN(f64_exp, double, 30, t * 1e-6, x = exp(-x))

CHAIN(f16_fma, __half, 300, __float2half(t * 1e-3f), x = __hfma(x, __float2half(0.75f), __float2half(0.5f)))
CHAIN(f16x2_mixed, __half2, 200, __floats2half2_rn(t * 1e-3f, 1.5f),
      x = __hadd2(__hmul2(__hmax2(x, __float2half2_rn(0.5f)), __float2half2_rn(0.75f)), __hneg2(__hsub2(x, __float2half2_rn(2.f)))))
CHAIN(f16_compare, __half, 300, __float2half(t * 1e-3f),
      x = __hgt(x, __float2half(1.f)) ? __hsub(x, __float2half(0.75f)) : __hadd(x, __float2half(0.5f)))
CHAIN(bf16_fma, __nv_bfloat16, 300, __float2bfloat16(t * 1e-3f), x = __hfma(x, __float2bfloat16(0.75f), __float2bfloat16(0.5f)))
CHAIN(bf16x2_mixed, __nv_bfloat162, 200, __floats2bfloat162_rn(t * 1e-3f, 1.5f),
      x = __hadd2(__hmul2(__hmax2(x, __float2bfloat162_rn(0.5f)), __float2bfloat162_rn(0.75f)),
                  __hneg2(__hsub2(x, __float2bfloat162_rn(2.f)))))

CHAIN(f16_conversion, float, 200, t * 1e-3f, x = __half2float(__float2half(x + 0.3f)))
CHAIN(f16x2_conversion, float, 200, t * 1e-3f, float2 y = __half22float2(__floats2half2_rn(x, x + 0.3f)); x = y.x + y.y * 0.125f)
CHAIN(bf16_conversion, float, 200, t * 1e-3f, x = __bfloat162float(__float2bfloat16(x + 0.3f)))
CHAIN(fp8_conversion, float, 100, t * 1e-3f, __nv_fp8_e4m3 y(x + 0.3f); __nv_fp8_e5m2 z(float(y) + 0.2f); x = float(z))
CHAIN(integer_f16_conversion, int, 200, t & 255, x = (__half2int_rn(__int2half_rn(x)) + 3) & 255)
CHAIN(rint_floor, float, 200, t * 1e-3f, x = rintf(x) + floorf(x * 0.5f) + 0.3f)
CHAIN(f64_rint, double, 200, t * 1e-3, x = rint(x) * 0.5 + ceil(x * 0.25) + 0.3)
CHAIN(float_to_int, float, 200, t * 1e-3f, x = float((int)x & 1023) + float(__float2uint_rn(x * 0.5f) & 7) + 0.7f)
CHAIN(double_to_int, double, 200, t * 1e-3, x = double((int)x & 1023) + double((long long)(x * 0.5) & 7) + 0.7)
CHAIN(long_to_float, float, 200, t, x = float((long long)x * 3 + 1) * 0.25f + float((unsigned long long)x))

CHAIN(f32_exp, float, 200, t * 1e-4f, x = expf(-x))
CHAIN(f32_fast_exp, float, 200, t * 1e-4f, x = __expf(-x))
CHAIN(f32_log, float, 100, t + 2.f, x = logf(x + 1.5f) + __logf(x + 2.f))
CHAIN(f32_sin, float, 50, t * 1e-4f, x = sinf(x + 0.4f))
CHAIN(f32_fast_sin, float, 200, t * 1e-4f, x = __sinf(x) + __cosf(x))
CHAIN(f32_fast_division, float, 200, t, x = __fdividef(x + 2.f, 3.f + x))
CHAIN(f32_rsqrt, float, 200, t, x = rsqrtf(x + 2.f) + sqrtf(x + 1.f))
CHAIN(f32_tanh_pow, float, 20, t * 1e-4f, x = powf(tanhf(x) + 1.f, 1.5f))
CHAIN(integer_intrinsics, unsigned, 300, t, x = __popc(x) + __ffs(x ^ i) + __clz(x | 1) + __dp4a(x, 0x01020304u, __byte_perm(x, i, 0x1234)))
