// Programs in pairs whose vectors grow, are filled and are sorted by the library.
#include <cstdlib>
#include <algorithm>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)

// Each thread scales its row of a sparse matrix.
extern "C" __global__ void scale_rows(const int *start, float *value, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int k = start[row]; k < start[row + 1]; k++) value[k] *= 2;
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
#define COUNT int n = number(argc, argv, 1, 1, 5000, 100)
#define PLACE place<<<up(n, 64), 64>>>(copied(w), device<int>(4 * n + 8), n); return 0
#define ROWS scale_rows<<<up(n, 128), 128>>>(copied(s), device<float>(60000), n); return 0

// Words that are pushed into an empty vector; two words are equal.
PROGRAM(pushed_clean) { COUNT; std::vector<int> w; for (int i = 0; i < n; i++) w.push_back(n - 1 - i); PLACE; }
PROGRAM(pushed_race) { COUNT; std::vector<int> w; for (int i = 0; i < n; i++) w.push_back((n - 1 - i) / 2); PLACE; }
// The same into memory that is there.
PROGRAM(reserved_clean) { COUNT; std::vector<int> w; w.reserve(n); for (int i = 0; i < n; i++) w.push_back(i ^ 1); PLACE; }
PROGRAM(reserved_race) { COUNT; std::vector<int> w; w.reserve(n); for (int i = 0; i < n; i++) w.push_back(i | 1); PLACE; }
// Each row begins where the one before it ends; some have a length of -1.
PROGRAM(starts_clean) { COUNT; std::vector<int> s; s.push_back(0); for (int r = 0; r < n; r++) s.push_back(s.back() + r % 5); ROWS; }
PROGRAM(starts_race) { COUNT; std::vector<int> s; s.push_back(4); for (int r = 0; r < n; r++) s.push_back(s.back() + r % 5 - 1); ROWS; }
// The end of the last row is pushed behind the loop.
PROGRAM(emplaced_clean) { COUNT; std::vector<int> s; int sum = 0; for (int r = 0; r < n; r++) { s.emplace_back(sum); sum += r & 7; } s.emplace_back(sum); ROWS; }
PROGRAM(emplaced_race) { COUNT; std::vector<int> s; int sum = 4; for (int r = 0; r < n; r++) { s.emplace_back(sum); sum += (r & 7) - 1; } s.emplace_back(sum); ROWS; }
// Rows between words that are sorted; of which half are sorted.
PROGRAM(sorted_clean) { COUNT; std::vector<int> s(n + 1); for (int &x : s) x = std::rand() % 50000; std::sort(s.begin(), s.end()); ROWS; }
PROGRAM(sorted_race) { COUNT; std::vector<int> s(n + 1); for (int i = 0; i <= n; i++) s[i] = i * 37 % 1000; std::sort(s.begin(), s.begin() + (n + 1) / 2); ROWS; }
// An order that is sorted; one with equal words.
PROGRAM(order_clean) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = n - i; std::sort(w.begin(), w.end()); PLACE; }
PROGRAM(order_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = (n - i) / 2; std::sort(w.begin(), w.end()); PLACE; }
// The same with the greatest first.
PROGRAM(falling_clean) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = 3 * i; std::sort(w.begin(), w.end(), std::greater<int>()); PLACE; }
PROGRAM(falling_race) { COUNT; std::vector<int> w(n); for (int i = 0; i < n; i++) w[i] = i / 3; std::sort(w.begin(), w.end(), std::greater<int>()); PLACE; }
// Words that a generator counts up.
PROGRAM(generated_clean) { COUNT; std::vector<int> w(n); int next = 5; std::generate(w.begin(), w.end(), [&] { return next += 3; }); PLACE; }
PROGRAM(generated_race) { COUNT; std::vector<int> w(n); int next = 5; std::generate(w.begin(), w.end(), [&] { return (next += 3) / 4; }); PLACE; }
// The first word is that of the constructor.
PROGRAM(zeroed_clean) { COUNT; std::vector<int> s(n + 1); for (int r = 0; r < n; r++) s[r + 1] = s[r] + r % 5; ROWS; }
PROGRAM(zeroed_race) { COUNT; std::vector<int> s(n + 1); for (int r = 0; r < n; r++) s[r + 1] = s[r] + (r + 4) % 5 - 1; ROWS; }

int main() { return 0; }
