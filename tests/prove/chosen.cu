// Programs in pairs like those of `realistic.cu`, from a second trial: written before any of them was asked about.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)

// Each thread scales its row of a sparse matrix.
extern "C" __global__ void scale_rows(const int *start, float *value, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int k = start[row]; k < start[row + 1]; k++) value[k] *= 2;
}
extern "C" __global__ void interleave(float *out, const float *x, int n, int step, int phase) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i * step] = x[i]; out[i * step + phase] = -x[i]; }
}
extern "C" __global__ void halves(float *a, int length) {
    extern __shared__ float tile[];
    int t = threadIdx.x;
    tile[t] = a[blockIdx.x * length + t];
    __syncthreads();
    a[blockIdx.x * length + t] = tile[t ^ 1];
}
extern "C" __global__ void place(const int *where, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[where[i]] = i;
}
template <class T> static T *device(size_t n) {
    T *p;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) std::exit(9);
    return p;
}
template <class T> static T *copied(const std::vector<T> &v) {
    T *p = device<T>(v.size());
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
static int up(int a, int b) { return (a + b - 1) / b; }
static int number(int argc, char **argv, int at, int low, int high, int otherwise) {
    int v = argc > at ? std::atoi(argv[at]) : otherwise;
    if (v < low || v > high) std::exit(1);
    return v;
}

// Rows of a sparse matrix; some have a length of -1.
PROGRAM(sparse_clean) { int rows = number(argc, argv, 1, 1, 5000, 100); std::vector<int> s(rows + 1); for (int r = 0; r < rows; r++) s[r + 1] = s[r] + r % 5; scale_rows<<<up(rows, 128), 128>>>(copied(s), device<float>(s[rows] + 1), rows); return 0; }
PROGRAM(sparse_race) { int rows = number(argc, argv, 1, 1, 5000, 100); std::vector<int> s(rows + 1); s[0] = 4; for (int r = 0; r < rows; r++) s[r + 1] = s[r] + r % 5 - 1; scale_rows<<<up(rows, 128), 128>>>(copied(s), device<float>(25000), rows); return 0; }
// A table of configurations that an argument chooses from; one entry is wrong.
struct Config { int step, phase, threads; };
static const Config good[] = {{2, 1, 64}, {4, 2, 128}, {8, 7, 256}};
static const Config bad[] = {{2, 1, 64}, {4, 4, 128}, {8, 7, 256}};
static int configured(const Config *all, int argc, char **argv) { int k = number(argc, argv, 1, 0, 2, 0), n = number(argc, argv, 2, 2, 4096, 1000); const Config &c = all[k]; interleave<<<up(n, c.threads), c.threads>>>(device<float>(8 * (n + 1)), device<float>(n), n, c.step, c.phase); return 0; }
PROGRAM(table_clean) { return configured(good, argc, argv); }
PROGRAM(table_race) { return configured(bad, argc, argv); }
// A block as long as its segment, rounded up to whole warps; segments that are not rounded.
PROGRAM(warps_clean) { int t = number(argc, argv, 1, 1, 500, 100); t = up(t, 32) * 32; halves<<<10, t, t * sizeof(float)>>>(device<float>(10 * t), t); return 0; }
PROGRAM(warps_race) { int t = number(argc, argv, 1, 1, 500, 100); int r = up(t, 32) * 32; halves<<<10, r, r * sizeof(float)>>>(device<float>(10 * t + 32), t); return 0; }
// Prefix sums of the library, of lengths that are never negative.
PROGRAM(sums_clean) { int rows = number(argc, argv, 1, 1, 5000, 100); std::vector<int> length(rows + 1), s(rows + 1); for (int r = 0; r < rows; r++) length[r + 1] = r & 7; std::partial_sum(length.begin(), length.end(), s.begin()); scale_rows<<<up(rows, 128), 128>>>(copied(s), device<float>(40000), rows); return 0; }
PROGRAM(sums_race) { int rows = number(argc, argv, 1, 1, 5000, 100); std::vector<int> length(rows + 1, 4), s(rows + 1); for (int r = 0; r < rows; r++) s[r + 1] = length[r] * (r ^ 1); scale_rows<<<up(rows, 128), 128>>>(copied(s), device<float>(40000), rows); return 0; }
// An order that is turned around; one whose second half is that of the first one.
PROGRAM(turned_clean) { int n = number(argc, argv, 1, 2, 4096, 256); std::vector<int> w(n); std::iota(w.begin(), w.end(), 0); std::reverse(w.begin(), w.end()); place<<<up(n, 64), 64>>>(copied(w), device<int>(n), n); return 0; }
PROGRAM(turned_race) { int n = number(argc, argv, 1, 2, 4096, 256); std::vector<int> w(n); std::iota(w.begin(), w.end(), 0); std::reverse_copy(w.begin(), w.begin() + n / 2, w.begin() + (n + 1) / 2); place<<<up(n, 64), 64>>>(copied(w), device<int>(n), n); return 0; }
// A shuffle; one that keeps words where others were.
PROGRAM(shuffled_clean) { int n = number(argc, argv, 1, 2, 4096, 256); std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = i; for (int i = n - 1; i > 0; i--) std::swap(w[i], w[std::rand() % (i + 1)]); place<<<up(n, 64), 64>>>(copied(w), device<int>(n), n); return 0; }
PROGRAM(shuffled_race) { int n = number(argc, argv, 1, 2, 4096, 256); std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = i; for (int i = n - 1; i > 0; i--) w[i] = w[i / 2]; place<<<up(n, 64), 64>>>(copied(w), device<int>(n), n); return 0; }

int main() { return 0; }
