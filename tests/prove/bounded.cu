// Programs in pairs whose arrays hold words within bounds: constants, remainders, least values.
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)

// Each thread reads one of the first n words, and writes one of those behind them.
extern "C" __global__ void gather(const int *where, int *both, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) both[n + i] = both[where[i]];
}
// Each thread writes a row of at most eight words.
extern "C" __global__ void fill_rows(const int *width, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int end = width[i];
#pragma unroll 1
    for (int k = 0; k < end; k++) out[i * 8 + k] = i;
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
#define COUNT int n = number(argc, argv, 1, 1, 5000, 100)
#define GATHER gather<<<up(n, 64), 64>>>(copied(w), device<int>(2 * n + 8), n); return 0
#define FILL fill_rows<<<up(n, 64), 64>>>(copied(w), device<int>(8 * n + 8), n); return 0

// The same word everywhere, by std::fill, std::fill_n, a constructor and `assign`.
PROGRAM(same_clean) { COUNT; std::vector<int> w(n); std::fill(w.begin(), w.end(), 8); FILL; }
PROGRAM(same_race) { COUNT; std::vector<int> w(n); std::fill(w.begin(), w.end(), 9); FILL; }
PROGRAM(last_clean) { COUNT; std::vector<int> w(n); std::fill_n(w.begin(), n, n - 1); GATHER; }
PROGRAM(last_race) { COUNT; std::vector<int> w(n); std::fill_n(w.begin(), n, n); GATHER; }
PROGRAM(constructed_clean) { COUNT; std::vector<int> w(n, 8); FILL; }
PROGRAM(constructed_race) { COUNT; std::vector<int> w(n, 9); FILL; }
PROGRAM(assigned_clean) { COUNT; std::vector<int> w; w.assign(n, n - 1); GATHER; }
PROGRAM(assigned_race) { COUNT; std::vector<int> w; w.assign(n, n + 1); GATHER; }
// Remainders by n, and by one more; of what `rand` returns, too.
PROGRAM(below_clean) { COUNT; std::vector<int> w(n); for (int &x : w) x = std::rand() % n; GATHER; }
PROGRAM(below_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = (i + n - 1) % (n + 1); GATHER; }
PROGRAM(few_clean) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = 8 - i % 9; FILL; }
PROGRAM(few_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = 9 - i % 10; FILL; }
PROGRAM(in_order_clean) { COUNT; std::vector<int> w(n); for (int &x : w) x = std::rand() % n; std::sort(w.begin(), w.end()); GATHER; }
PROGRAM(in_order_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = (i + 2) % (n + 1); std::sort(w.begin(), w.end()); GATHER; }
PROGRAM(pushed_below_clean) { COUNT; std::vector<int> w; for (int i = 0; i < n; i++) w.push_back(std::rand() % n); GATHER; }
PROGRAM(pushed_below_race) { COUNT; std::vector<int> w; for (int i = 0; i < n; i++) w.push_back((i + n - 1) % (n + 1)); GATHER; }
// The least of two numbers, and half of a counter.
PROGRAM(least_clean) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = std::min(3 * i, n - 1); GATHER; }
PROGRAM(least_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = std::min(3 * i, n); GATHER; }
PROGRAM(half_clean) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = i / 2; GATHER; }
PROGRAM(half_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = (i + n + 1) / 2; GATHER; }

int main() { return 0; }
