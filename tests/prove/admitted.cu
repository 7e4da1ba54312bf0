// Programs in pairs: the host code of NAME_clean admits no input for which its launch races, that of NAME_race admits one.
// `crates/prove/tests/admitted.rs` makes each of these functions a `main` of its own. Kernels are shared: what decides is
// the host code alone.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)
#define NEED(n) if (argc <= n) return 2
#define NUMBER(n) std::atoi(argv[n])
#define INTS(name, count) int *name; cudaMalloc(&name, (count) * sizeof(int))
#define FLOATS(name, count) float *name; cudaMalloc(&name, (count) * sizeof(float))

// Rows of `pitch` elements, of which a block writes one each.
extern "C" __global__ void rows(int *m, int pitch) { m[blockIdx.x * pitch + threadIdx.x] = blockIdx.x; }
// Each thread has a bin, if there are enough.
extern "C" __global__ void bins(int *m, int count) {
    m[(blockIdx.x * blockDim.x + threadIdx.x) % count] = threadIdx.x + blockIdx.x;
}
extern "C" __global__ void both(float *low, float *high) {
    low[threadIdx.x] = 1.0f + threadIdx.x;
    high[threadIdx.x] = -2.0f - threadIdx.x;
}
// Threads of one warp meet; those of two do not.
extern "C" __global__ void turn(const float *in, float *out) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
// A tile of 64.
extern "C" __global__ void tiled(const int *in, int *out) {
    __shared__ int x[64];
    x[threadIdx.x % 64] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x % 64];
}
// Rows of a matrix, by blocks in x and rows in y.
extern "C" __global__ void plane(int *m, int width) {
    m[blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.y;
}
// Two halves, the second one `n` behind the first one.
extern "C" __global__ void halves(int *a, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    a[i] = i;
    a[i + n] = -i - 1;
}
extern "C" __global__ void strided(int *a, int step) { a[(blockIdx.x * blockDim.x + threadIdx.x) * step] = threadIdx.x; }
extern "C" __global__ void scatter(const int *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = i;
}
struct Shape { int pitch, count; };
extern "C" __global__ void shaped(int *m, Shape s) { m[blockIdx.x * s.pitch + threadIdx.x] = s.count; }
struct View { int *data; int pitch; };
extern "C" __global__ void viewed(View v) { v.data[blockIdx.x * v.pitch + threadIdx.x] = blockIdx.x; }
template <int N> __global__ void fixed(int *m) { m[blockIdx.x * N + threadIdx.x] = blockIdx.x; }

// Checks: one comparison, two in one, after default values, of several numbers.
PROGRAM(two_sided_clean) { NEED(1); int p = NUMBER(1); if (p < 64 || p > 4096) return 1; INTS(m, 4 * p); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(two_sided_race) { NEED(1); int p = NUMBER(1); if (p < 63 || p > 4096) return 1; INTS(m, 4 * p + 64); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(one_sided_clean) { NEED(1); int p = NUMBER(1); if (p < 64) return 1; INTS(m, 1 << 20); rows<<<1, 64>>>(m, p); return 0; }
PROGRAM(one_sided_race) { NEED(1); int p = NUMBER(1); if (p > 64 || p < 1) return 1; INTS(m, 1 << 20); rows<<<2, 64>>>(m, p); return 0; }
PROGRAM(default_checked_clean) { int p = DEFAULT(1, 64), r = DEFAULT(2, 4); if (p < 64 || p > 4096 || r < 1 || r > 100) return 1; INTS(m, p * r); rows<<<r, 64>>>(m, p); return 0; }
PROGRAM(default_checked_race) { int p = DEFAULT(1, 64), r = DEFAULT(2, 4); if (p < 60 || p > 4096 || r < 1 || r > 100) return 1; INTS(m, p * r + 64); rows<<<r, 64>>>(m, p); return 0; }
PROGRAM(default_bins_clean) { int c = DEFAULT(1, 128); if (c < 128 || c > 512) return 1; INTS(m, c); bins<<<2, 64>>>(m, c); return 0; }
PROGRAM(default_bins_race) { int c = DEFAULT(1, 128); if (c < 1 || c > 512) return 1; INTS(m, c); bins<<<2, 64>>>(m, c); return 0; }
PROGRAM(between_two_clean) { NEED(2); int b = NUMBER(1), p = NUMBER(2); if (b < 1 || b > 256 || p < b || p > 1000) return 1; INTS(m, 4 * p); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(between_two_race) { NEED(2); int b = NUMBER(1), p = NUMBER(2); if (b < 1 || b > 256 || p < b - 1 || p > 1000) return 1; INTS(m, 4 * p + 256); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(sum_checked_clean) { NEED(2); int a = NUMBER(1), b = NUMBER(2); if (a < 0 || a > 500 || b < 0 || b > 500 || a + b < 64) return 1; INTS(m, 4096); rows<<<3, 64>>>(m, a + b); return 0; }
PROGRAM(sum_checked_race) { NEED(2); int a = NUMBER(1), b = NUMBER(2); if (a < 0 || a > 500 || b < 0 || b > 500 || a + b < 32) return 1; INTS(m, 4096); rows<<<3, 64>>>(m, a + b); return 0; }
PROGRAM(not_zero_clean) { NEED(1); int s = NUMBER(1); if (s < 1 || s > 8) return 1; INTS(m, 4096); strided<<<4, 64>>>(m, s); return 0; }
PROGRAM(not_zero_race) { NEED(1); int s = NUMBER(1); if (s < 0 || s > 8) return 1; INTS(m, 4096); strided<<<4, 64>>>(m, s); return 0; }
PROGRAM(refused_clean) { NEED(1); int s = NUMBER(1); if (s == 0) return 1; if (s < 0 || s > 5) return 1; INTS(m, 4096); strided<<<2, 32>>>(m, s); return 0; }
PROGRAM(refused_race) { NEED(1); int s = NUMBER(1); if (s == 1) return 1; if (s < 0 || s > 5) return 1; INTS(m, 4096); strided<<<2, 32>>>(m, s); return 0; }

PROGRAM(three_numbers_clean) { NEED(3); int g = NUMBER(1), b = NUMBER(2), p = NUMBER(3); if (g < 1 || g > 8 || b < 1 || b > 128 || p < b || p > 500) return 1; INTS(m, 4096); rows<<<g, b>>>(m, p); return 0; }
PROGRAM(three_numbers_race) { NEED(3); int g = NUMBER(1), b = NUMBER(2), p = NUMBER(3); if (g < 1 || g > 8 || b < 1 || b > 128 || p < 1 || p > 500) return 1; INTS(m, 4096); rows<<<g, b>>>(m, p); return 0; }
PROGRAM(one_of_three_clean) { NEED(1); int s = NUMBER(1); if (s != 1 && s != 2 && s != 5) return 1; INTS(m, 4096); strided<<<2, 32>>>(m, s); return 0; }
PROGRAM(one_of_three_race) { NEED(1); int s = NUMBER(1); if (s != 1 && s != 2 && s != 0) return 1; INTS(m, 4096); strided<<<2, 32>>>(m, s); return 0; }

// Asserts and exits.
PROGRAM(asserted_clean) { NEED(1); int p = NUMBER(1); assert(p >= 64 && p < 1000); INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(asserted_race) { NEED(1); int p = NUMBER(1); assert(p >= 32 && p < 1000); INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(exits_clean) { NEED(1); int p = NUMBER(1); if (p < 64) std::exit(3); if (p > 999) std::exit(4); INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(exits_race) { NEED(1); int p = NUMBER(1); if (p < 48) std::exit(3); if (p > 999) std::exit(4); INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(aborts_clean) { NEED(1); int c = NUMBER(1); if (c < 64 || c > 999) std::abort(); INTS(m, 999); bins<<<1, 64>>>(m, c); return 0; }
PROGRAM(aborts_race) { NEED(1); int c = NUMBER(1); if (c < 1 || c > 999) std::abort(); INTS(m, 999); bins<<<1, 64>>>(m, c); return 0; }

PROGRAM(both_asserted_clean) { NEED(2); int b = NUMBER(1), p = NUMBER(2); assert(b > 0 && b <= 128); assert(p >= b && p < 500); INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(both_asserted_race) { NEED(2); int b = NUMBER(1), p = NUMBER(2); assert(b > 0 && b <= 128); assert(p > 0 && p < 500); INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }

// Clamps.
PROGRAM(at_least_clean) { NEED(1); int p = std::max(NUMBER(1), 64); if (p > 1000) return 1; INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(at_least_race) { NEED(1); int p = std::max(NUMBER(1), 32); if (p > 1000) return 1; INTS(m, 4000); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(at_most_clean) { NEED(1); int b = std::min(NUMBER(1), 64); if (b < 1) return 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(at_most_race) { NEED(1); int b = std::min(NUMBER(1), 96); if (b < 1) return 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(clamped_clean) { NEED(1); int b = std::clamp(NUMBER(1), 1, 64); INTS(in, 128); INTS(out, 4096); cudaMemset(in, 0, 512); tiled<<<2, b>>>(in, out); return 0; }
PROGRAM(clamped_race) { NEED(1); int b = std::clamp(NUMBER(1), 1, 128); INTS(in, 128); INTS(out, 4096); cudaMemset(in, 0, 512); tiled<<<2, b>>>(in, out); return 0; }
PROGRAM(clamped_default_clean) { int b = DEFAULT(1, 32); if (b > 64) b = 64; if (b < 1) b = 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(clamped_default_race) { int b = DEFAULT(1, 32); if (b > 65) b = 65; if (b < 1) b = 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(raised_clean) { int p = DEFAULT(1, 100); if (p < 64) p = 64; if (p > 1000) p = 1000; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(raised_race) { int p = DEFAULT(1, 100); if (p < 16) p = 16; if (p > 1000) p = 1000; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }

// Rounding up.
PROGRAM(blocks_up_clean) { NEED(1); int w = NUMBER(1); if (w < 1 || w > 1000) return 1; int g = (w + 63) / 64; INTS(m, 4 * g * 64); plane<<<dim3(g, 4), 64>>>(m, g * 64); return 0; }
PROGRAM(blocks_up_race) { NEED(1); int w = NUMBER(1); if (w < 1 || w > 1000) return 1; int g = (w + 63) / 64; INTS(m, 4 * g * 64); plane<<<dim3(g, 4), 64>>>(m, w); return 0; }
PROGRAM(masked_up_clean) { NEED(1); int w = NUMBER(1); if (w < 1 || w > 1000) return 1; int p = (w + 63) & ~63; INTS(m, 4 * p); plane<<<dim3(p / 64, 4), 64>>>(m, p); return 0; }
PROGRAM(masked_up_race) { NEED(1); int w = NUMBER(1); if (w < 1 || w > 1000) return 1; int p = (w + 63) & ~63; INTS(m, 4 * p); plane<<<dim3(p / 64, 4), 64>>>(m, w); return 0; }
PROGRAM(rounded_pitch_clean) { NEED(1); int b = NUMBER(1); if (b < 1 || b > 256) return 1; int p = (b + 31) / 32 * 32; INTS(m, 4 * p); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(rounded_pitch_race) { NEED(1); int b = NUMBER(1); if (b < 32 || b > 256) return 1; int p = b / 32 * 32; INTS(m, 4 * p + 32); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(rounded_block_clean) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 64) return 1; int b = (n + 31) & ~31; INTS(m, 256); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(rounded_block_race) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 65) return 1; int b = (n + 31) & ~31; INTS(m, 512); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(halved_clean) { NEED(1); int n = NUMBER(1); if (n < 2 || n > 128) return 1; INTS(m, 512); rows<<<4, n / 2>>>(m, 64); return 0; }
PROGRAM(halved_race) { NEED(1); int n = NUMBER(1); if (n < 2 || n > 256) return 1; INTS(m, 512); rows<<<4, n / 2>>>(m, 64); return 0; }

// Loops.
PROGRAM(up_to_clean) { NEED(1); int most = NUMBER(1); if (most > 64) return 1; INTS(m, 4096); for (int b = 1; b <= most; b++) rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(up_to_race) { NEED(1); int most = NUMBER(1); if (most > 65) return 1; INTS(m, 4096); for (int b = 1; b <= most; b++) rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(down_to_clean) { NEED(1); int least = NUMBER(1); if (least < 64) return 1; INTS(m, 4096); for (int p = 256; p >= least; p -= 32) rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(down_to_race) { NEED(1); int least = NUMBER(1); if (least < 32) return 1; INTS(m, 4096); for (int p = 256; p >= least; p -= 32) rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(halving_clean) { NEED(1); int s = NUMBER(1); if (s < 1 || s > 64) return 1; INTS(m, 4096); for (; s > 0; s /= 2) rows<<<4, s>>>(m, 64); return 0; }
PROGRAM(halving_race) { NEED(1); int s = NUMBER(1); if (s < 1 || s > 128) return 1; INTS(m, 4096); for (; s > 0; s /= 2) rows<<<4, s>>>(m, 64); return 0; }
PROGRAM(shifting_clean) { NEED(1); unsigned s = NUMBER(1); if (s > 64) return 1; INTS(m, 4096); for (; s > 0; s >>= 1) rows<<<2, s>>>(m, 64); return 0; }
PROGRAM(shifting_race) { NEED(1); unsigned s = NUMBER(1); if (s > 100) return 1; INTS(m, 4096); for (; s > 0; s >>= 1) rows<<<2, s>>>(m, 64); return 0; }
PROGRAM(doubling_clean) { NEED(1); int n = NUMBER(1); if (n > 1000) return 1; INTS(m, 8192); for (int p = 64; p < n; p *= 2) rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(doubling_race) { NEED(1); int n = NUMBER(1); if (n > 1000) return 1; INTS(m, 8192); for (int p = 32; p < n; p *= 2) rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(below_count_clean) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 60) return 1; INTS(m, 4096); for (int i = 0; i < n; i++) rows<<<4, i + 1>>>(m, n); return 0; }
PROGRAM(below_count_race) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 60) return 1; INTS(m, 4096); for (int i = 0; i <= n; i++) rows<<<4, i + 1>>>(m, n); return 0; }

// Sizes of allocations against extents, and parts of one array.
PROGRAM(far_parts_clean) { int s = DEFAULT(1, 64); if (s < 64 || s > 128) return 1; FLOATS(a, 256); both<<<1, 64>>>(a, a + s); return 0; }
PROGRAM(far_parts_race) { int s = DEFAULT(1, 64); if (s < 0 || s > 64) return 1; FLOATS(a, 256); both<<<1, 64>>>(a, a + s); return 0; }
PROGRAM(two_halves_clean) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 512) return 1; INTS(a, 2 * n); halves<<<(n + 63) / 64, 64>>>(a, n, n); return 0; }
PROGRAM(two_halves_race) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 512) return 1; INTS(a, 2 * n + 1); halves<<<(n + 64) / 64, 64>>>(a, n, n + 1); return 0; }
PROGRAM(one_each_clean) { NEED(1); int n = NUMBER(1); if (n < 64 || n > 4096) return 1; INTS(a, n); bins<<<n / 64, 64>>>(a, n); return 0; }
PROGRAM(one_each_race) { NEED(1); int n = NUMBER(1); if (n < 64 || n > 4096) return 1; INTS(a, n); bins<<<n / 64 + 1, 64>>>(a, n); return 0; }
PROGRAM(area_clean) { NEED(2); int w = NUMBER(1), h = NUMBER(2); if (w < 8 || w > 64 || h < 8 || h > 64) return 1; INTS(a, w * h * 4); rows<<<4, 64>>>(a, w * h); return 0; }
PROGRAM(area_race) { NEED(2); int w = NUMBER(1), h = NUMBER(2); if (w < 8 || w > 64 || h < 4 || h > 64) return 1; INTS(a, w * h * 4 + 64); rows<<<4, 64>>>(a, w * h); return 0; }
PROGRAM(apart_clean) { NEED(1); int b = NUMBER(1); if (b < 1 || b > 512) return 1; FLOATS(x, 512); FLOATS(y, 512); both<<<1, b>>>(x, y); return 0; }
PROGRAM(apart_race) { NEED(1); int b = NUMBER(1); if (b < 1 || b > 512) return 1; FLOATS(x, 768); both<<<1, b>>>(x, x + 256); return 0; }

// Members of structures.
PROGRAM(member_clean) { NEED(1); Shape s{NUMBER(1), 3}; if (s.pitch < 64 || s.pitch > 999) return 1; INTS(m, 4096); shaped<<<4, 64>>>(m, s); return 0; }
PROGRAM(member_race) { NEED(1); Shape s{NUMBER(1), 3}; if (s.pitch < 63 || s.pitch > 999) return 1; INTS(m, 4096); shaped<<<4, 64>>>(m, s); return 0; }
PROGRAM(member_of_two_clean) { NEED(2); Shape s{NUMBER(1), NUMBER(2)}; if (s.count < 1 || s.count > 64 || s.pitch < s.count || s.pitch > 999) return 1; INTS(m, 4096); shaped<<<4, s.count>>>(m, s); return 0; }
PROGRAM(member_of_two_race) { NEED(2); Shape s{NUMBER(1), NUMBER(2)}; if (s.count < 1 || s.count > 64 || s.pitch < 1 || s.pitch > 999) return 1; INTS(m, 4096); shaped<<<4, s.count>>>(m, s); return 0; }
PROGRAM(view_clean) { NEED(1); INTS(m, 4096); View v{m, NUMBER(1)}; if (v.pitch < 64 || v.pitch > 999) return 1; viewed<<<4, 64>>>(v); return 0; }
PROGRAM(view_race) { NEED(1); INTS(m, 4096); View v{m, NUMBER(1)}; if (v.pitch < 1 || v.pitch > 999) return 1; viewed<<<4, 64>>>(v); return 0; }

// Choices: a switch, a template by a switch, options.
PROGRAM(switched_clean) { NEED(1); int b, p; switch (NUMBER(1)) { case 1: b = 64; p = 64; break; case 2: b = 128; p = 128; break; default: return 1; } INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(switched_race) { NEED(1); int b, p; switch (NUMBER(1)) { case 1: b = 64; p = 64; break; case 2: b = 128; p = 64; break; default: return 1; } INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(instances_clean) { NEED(1); INTS(m, 4096); switch (NUMBER(1)) { case 32: fixed<32><<<4, 32>>>(m); break; case 64: fixed<64><<<4, 64>>>(m); break; }; return 0; }
PROGRAM(instances_race) { NEED(1); INTS(m, 4096); switch (NUMBER(1)) { case 32: fixed<32><<<4, 32>>>(m); break; case 64: fixed<64><<<4, 128>>>(m); break; }; return 0; }
PROGRAM(mode_clean) { NEED(1); bool wide = NUMBER(1) > 5; int b = wide ? 128 : 64, p = wide ? 128 : 64; INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(mode_race) { NEED(1); bool wide = NUMBER(1) > 5; int b = wide ? 128 : 64, p = wide ? 64 : 128; INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(option_clean) { bool wide = argc > 1 && !std::strcmp(argv[1], "--wide"); int b = wide ? 128 : 32; INTS(m, 4096); rows<<<4, b>>>(m, 128); return 0; }
PROGRAM(option_race) { bool wide = argc > 1 && !std::strcmp(argv[1], "--wide"); int b = wide ? 128 : 32; INTS(m, 4096); rows<<<4, b>>>(m, 100); return 0; }
PROGRAM(parser_clean) { int b = 32; for (int i = 1; i + 1 < argc; i++) if (!std::strcmp(argv[i], "-b")) b = std::atoi(argv[i + 1]); if (b < 1 || b > 64) return 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(parser_race) { int b = 32; for (int i = 1; i + 1 < argc; i++) if (!std::strcmp(argv[i], "-b")) b = std::atoi(argv[i + 1]); if (b < 1 || b > 96) return 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }

// The environment, the standard input.
PROGRAM(environment_clean) { const char *t = std::getenv("LANES"); int l = t ? std::atoi(t) : 32; if (l > 32) l = 32; if (l < 1) return 2; FLOATS(i, 64); FLOATS(o, 64); cudaMemset(i, 0, 256); turn<<<1, l, l * 4>>>(i, o); return 0; }
PROGRAM(environment_race) { const char *t = std::getenv("LANES"); int l = t ? std::atoi(t) : 32; if (l > 64) l = 64; if (l < 1) return 2; FLOATS(i, 64); FLOATS(o, 64); cudaMemset(i, 0, 256); turn<<<1, l, l * 4>>>(i, o); return 0; }
PROGRAM(variable_clean) { const char *t = std::getenv("PITCH"); if (!t) return 1; int p = std::atoi(t); if (p < 64 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(variable_race) { const char *t = std::getenv("PITCH"); if (!t) return 1; int p = std::atoi(t); if (p < 2 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(typed_clean) { int p; if (std::scanf("%d", &p) != 1) return 1; if (p < 64 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(typed_race) { int p; if (std::scanf("%d", &p) != 1) return 1; if (p < 8 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(typed_two_clean) { int b; int p; if (std::scanf("%d %d", &b, &p) != 2) return 1; if (b < 1 || b > 64 || p < b || p > 500) return 2; INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(typed_two_race) { int b; int p; if (std::scanf("%d %d", &b, &p) != 2) return 1; if (b < 1 || b > 64 || p < 1 || p > 500) return 2; INTS(m, 4096); rows<<<4, b>>>(m, p); return 0; }
PROGRAM(ends_clean) { NEED(1); char *end; long p = std::strtol(argv[1], &end, 10); if (*end) return 1; if (p < 64 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(ends_race) { NEED(1); char *end; long p = std::strtol(argv[1], &end, 10); if (*end) return 1; if (p < 4 || p > 500) return 2; INTS(m, 4096); rows<<<4, 64>>>(m, p); return 0; }

// Remainders, shifts, products.
PROGRAM(remainder_clean) { NEED(1); int n = NUMBER(1); if (n < 0) return 1; INTS(m, 4096); rows<<<4, n % 64 + 1>>>(m, 64); return 0; }
PROGRAM(remainder_race) { NEED(1); int n = NUMBER(1); if (n < 0) return 1; INTS(m, 4096); rows<<<4, n % 65 + 1>>>(m, 64); return 0; }
PROGRAM(remainder_by_value_clean) { NEED(2); int n = NUMBER(1), k = NUMBER(2); if (n < 0 || k < 1 || k > 64) return 1; INTS(m, 4096); rows<<<4, n % k + 1>>>(m, k); return 0; }
PROGRAM(remainder_by_value_race) { NEED(2); int n = NUMBER(1), k = NUMBER(2); if (n < 0 || k < 2 || k > 64) return 1; INTS(m, 4096); rows<<<4, n % k + 1>>>(m, k - 1); return 0; }
PROGRAM(power_clean) { NEED(1); int s = NUMBER(1); if (s < 6 || s > 9) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, 1 << s); return 0; }
PROGRAM(power_race) { NEED(1); int s = NUMBER(1); if (s < 5 || s > 9) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, 1 << s); return 0; }
PROGRAM(masked_clean) { NEED(1); int b = (NUMBER(1) & 63) + 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(masked_race) { NEED(1); int b = (NUMBER(1) & 127) + 1; INTS(m, 4096); rows<<<4, b>>>(m, 64); return 0; }
PROGRAM(quotient_clean) { NEED(2); int n = NUMBER(1), k = NUMBER(2); if (n < 256 || n > 1000 || k < 1 || k > 4) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, n / k); return 0; }
PROGRAM(quotient_race) { NEED(2); int n = NUMBER(1), k = NUMBER(2); if (n < 256 || n > 1000 || k < 1 || k > 8) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, n / k); return 0; }
PROGRAM(twice_clean) { NEED(1); int p = NUMBER(1); if (p < 32 || p > 500) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, 2 * p); return 0; }
PROGRAM(twice_race) { NEED(1); int p = NUMBER(1); if (p < 31 || p > 500) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, 2 * p); return 0; }

// Two launches, and functions on the way.
PROGRAM(second_clean) { NEED(1); int p = NUMBER(1); if (p < 64 || p > 500) return 1; INTS(m, 4096); rows<<<1, 64>>>(m, 1); rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(second_race) { NEED(1); int p = NUMBER(1); if (p < 64 || p > 500) return 1; INTS(m, 4096); rows<<<4, 64>>>(m, p); rows<<<4, 64>>>(m, p - 1); return 0; }
__attribute__((noinline)) static void launch(int *m, int pitch, int block) { rows<<<4, block>>>(m, pitch); }
PROGRAM(passed_clean) { NEED(1); int p = NUMBER(1); if (p < 64 || p > 500) return 1; INTS(m, 4096); launch(m, p, 64); return 0; }
PROGRAM(passed_race) { NEED(1); int p = NUMBER(1); if (p < 60 || p > 500) return 1; INTS(m, 4096); launch(m, p, 64); return 0; }
PROGRAM(chosen_clean) { NEED(1); FLOATS(a, 256); FLOATS(b, 256); FLOATS(c, 256); both<<<1, 64>>>(a, NUMBER(1) > 3 ? b : c); return 0; }
PROGRAM(chosen_race) { NEED(1); FLOATS(a, 256); FLOATS(b, 256); both<<<1, 64>>>(a, NUMBER(1) > 3 ? b : a + 8); return 0; }
PROGRAM(skipped_clean) { NEED(1); int p = NUMBER(1); INTS(m, 4096); if (p >= 64 && p <= 500) rows<<<4, 64>>>(m, p); return 0; }
PROGRAM(skipped_race) { NEED(1); int p = NUMBER(1); INTS(m, 4096); if (p >= 6 && p <= 500) rows<<<4, 64>>>(m, p); return 0; }

// Index arrays that the host writes.
PROGRAM(identity_clean) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 256) return 1; int *h = (int *)std::malloc(n * 4); for (int i = 0; i < n; i++) h[i] = i; INTS(x, n); INTS(o, n); cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice); scatter<<<(n + 63) / 64, 64>>>(x, o, n); return 0; }
PROGRAM(identity_race) { NEED(1); int n = NUMBER(1); if (n < 1 || n > 256) return 1; int *h = (int *)std::malloc(n * 4); for (int i = 0; i < n; i++) h[i] = i / 2; INTS(x, n); INTS(o, n); cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice); scatter<<<(n + 63) / 64, 64>>>(x, o, n); return 0; }
PROGRAM(few_indices_clean) { int h[8]; for (int i = 0; i < 8; i++) h[i] = 7 - i; INTS(x, 8); INTS(o, 16); cudaMemcpy(x, h, 32, cudaMemcpyHostToDevice); int n = DEFAULT(1, 8); if (n < 1 || n > 8) return 1; scatter<<<1, 8>>>(x, o, n); return 0; }
PROGRAM(few_indices_race) { int h[8]; for (int i = 0; i < 8; i++) h[i] = i * i % 8; INTS(x, 8); INTS(o, 16); cudaMemcpy(x, h, 32, cudaMemcpyHostToDevice); int n = DEFAULT(1, 1); if (n < 1 || n > 8) return 1; scatter<<<1, 8>>>(x, o, n); return 0; }

int main() { return 0; }
