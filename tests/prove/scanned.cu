// Programs in pairs like those of `filled.cu`: arrays whose words ascend, because the host sums up numbers that are not
// negative or multiplies its counter, for any number of elements.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)

// Each thread writes the elements of its segment.
extern "C" __global__ void segments(const int *start, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long end = start[i + 1];
#pragma unroll 1
    for (long k = start[i]; k < end; k++) out[k] = i;
}
// The same with offsets of 64 bits; each block has a segment, and its threads take turns in it.
extern "C" __global__ void lists(const long *start, int *out) {
    long end = start[blockIdx.x + 1];
#pragma unroll 1
    for (long k = start[blockIdx.x] + threadIdx.x; k < end; k += blockDim.x) out[k] = blockIdx.x;
}
static int blocks(int n) { return (n + 127) / 128; }

static int segmented(const int *start, int n) {
    int *s, *o;
    cudaMalloc(&s, (n + 1) * sizeof(int));
    cudaMalloc(&o, (1 << 22) * sizeof(int));
    cudaMemcpy(s, start, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    segments<<<blocks(n), 128>>>(s, o, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
static int listed(const long *start, int n) {
    long *s;
    int *o;
    cudaMalloc(&s, (n + 1) * sizeof(long));
    cudaMalloc(&o, (1 << 22) * sizeof(int));
    cudaMemcpy(s, start, (n + 1) * sizeof(long), cudaMemcpyHostToDevice);
    lists<<<n, 64>>>(s, o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#define SIZE int n = DEFAULT(1, 1000); if (n < 1 || n > 20000) return 1
#define STARTS SIZE; std::vector<int> start(n + 1)

// Segments of one length; of two, of which one may be negative.
PROGRAM(summed_clean) { STARTS; int each = std::clamp(DEFAULT(2, 3), 0, 50); start[0] = 0; for (int i = 0; i < n; i++) start[i + 1] = start[i] + each; return segmented(start.data(), n); }
PROGRAM(summed_race) { STARTS; int each = std::clamp(DEFAULT(2, 3), -2, 50); start[0] = 1 << 20; for (int i = 0; i < n; i++) start[i + 1] = start[i] + (i % 2 ? each : 3); return segmented(start.data(), n); }
// A scan, whose last sum is stored behind the loop.
PROGRAM(exclusive_clean) { STARTS; int sum = 0; for (int i = 0; i < n; i++) { start[i] = sum; sum += i % 7; } start[n] = sum; return segmented(start.data(), n); }
PROGRAM(exclusive_race) { STARTS; int sum = 1 << 20; for (int i = 0; i < n; i++) { start[i] = sum; sum += i % 7 - 1; } start[n] = sum; return segmented(start.data(), n); }
// Multiples of the counter.
PROGRAM(multiples_clean) { STARTS; int k = std::clamp(DEFAULT(2, 4), 0, 64); for (int i = 0; i <= n; i++) start[i] = i * k; return segmented(start.data(), n); }
PROGRAM(multiples_race) { STARTS; int k = std::clamp(DEFAULT(2, 4), 0, 64); for (int i = 0; i <= n; i++) start[i] = i * k % 1000; return segmented(start.data(), n); }
// Lengths that another loop has drawn.
PROGRAM(drawn_clean) { STARTS; std::vector<int> count(n); for (int i = 0; i < n; i++) count[i] = std::rand() % 8; start[0] = 0; for (int i = 0; i < n; i++) start[i + 1] = start[i] + count[i]; return segmented(start.data(), n); }
PROGRAM(drawn_race) { STARTS; std::vector<int> count(n); for (int i = 0; i < n; i++) count[i] = i * 5 % 8 - 1; start[0] = 1 << 20; for (int i = 0; i < n; i++) start[i + 1] = start[i] + count[i]; return segmented(start.data(), n); }
// Lengths that are checked in the loop, of an input.
PROGRAM(checked_clean) { STARTS; int last = 0; for (int i = 0; i < n; i++) { int c; if (std::scanf("%d", &c) != 1 || c < 0 || c > 100) return 2; start[i] = last; last += c; } start[n] = last; return segmented(start.data(), n); }
// Some elements are counted.
PROGRAM(counted_clean) { STARTS; int seen = 0; for (int i = 0; i < n; i++) { start[i] = seen; if (std::rand() & 1) seen++; } start[n] = seen; return segmented(start.data(), n); }
PROGRAM(counted_race) { STARTS; int seen = 1000; for (int i = 0; i < n; i++) { start[i] = seen; if (i & 1) seen += 3; else seen--; } start[n] = seen; return segmented(start.data(), n); }
// Numbers in a row; twice the same ones.
PROGRAM(iota_clean) { STARTS; std::iota(start.begin(), start.end(), 5); return segmented(start.data(), n); }
PROGRAM(iota_race) { STARTS; std::iota(start.begin(), start.begin() + n / 2, 5); std::iota(start.begin() + n / 2, start.end(), 5); return segmented(start.data(), n); }
// Offsets of 64 bits.
PROGRAM(long_clean) { SIZE; std::vector<long> start(n + 1); for (int i = 0; i < n; i++) start[i + 1] = start[i] + 1 + i % 3; return listed(start.data(), n); }
PROGRAM(long_race) { SIZE; std::vector<long> start(n + 1); start[0] = 100; for (int i = 0; i < n; i++) start[i + 1] = start[i] + 1 - i % 3; return listed(start.data(), n); }
// From `malloc`.
PROGRAM(plain_clean) { SIZE; int *start = (int *)std::malloc((n + 1) * sizeof(int)); start[0] = 0; for (int i = 1; i <= n; i++) start[i] = start[i - 1] + i / 100; int failed = segmented(start, n); std::free(start); return failed; }
PROGRAM(plain_race) { SIZE; int *start = (int *)std::malloc((n + 1) * sizeof(int)); start[0] = 1 << 20; for (int i = 1; i <= n; i++) start[i] = start[i - 1] + 2 - i % 4; int failed = segmented(start, n); std::free(start); return failed; }
// The sums of the standard library.
PROGRAM(scan_clean) { STARTS; std::vector<int> count(n + 1); for (int i = 0; i <= n; i++) count[i] = i & 3; std::exclusive_scan(count.begin(), count.end(), start.begin(), 0); return segmented(start.data(), n); }

int main() { return 0; }
