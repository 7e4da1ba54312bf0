// Programs in pairs like those of `admitted.cu`: pointers that loops exchange, disjunctions, powers of two, rows of a
// rounded pitch, limited grids, and files.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <fstream>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)
#define INTS(name, count) int *name; cudaMalloc(&name, (count) * sizeof(int))

extern "C" __global__ void step(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];
}
extern "C" __global__ void shift(int *a, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i + by] = a[i] * 2;
}
template <int LANE> __device__ void paired(int *a) {
    extern __shared__ int tile[];
    int t = threadIdx.x;
    tile[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    a[blockIdx.x * blockDim.x + (t ^ LANE)] = tile[t];
}
extern "C" __global__ void pair_16(int *a) { paired<16>(a); }
extern "C" __global__ void pair_32(int *a) { paired<32>(a); }
extern "C" __global__ void halve(const int *a, int *out) {
    extern __shared__ int tile[];
    int t = threadIdx.x;
    tile[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) tile[t] += tile[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
struct Matrix { int rows, columns, pitch; };
extern "C" __global__ void fill(int *m, Matrix shape) {
    for (int j = threadIdx.x; j < shape.columns; j += blockDim.x) m[blockIdx.x * shape.pitch + j] += 1;
}
extern "C" __global__ void square(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] *= a[i];
}
extern "C" __global__ void square_again(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x / 2) a[i] *= a[i];
}
extern "C" __global__ void rows(int *m, int pitch) { m[blockIdx.x * pitch + threadIdx.x] = blockIdx.x; }

// Two arrays change places in each turn; in one turn of the racy ones both are the same.
PROGRAM(swapped_clean) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; INTS(a, n); INTS(b, n); for (int k = 0; k < turns; k++) { step<<<(n + 255) / 256, 256>>>(b, a, n); std::swap(a, b); } return 0; }
PROGRAM(swapped_race) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; INTS(a, n); INTS(b, n); for (int k = 0; k < turns; k++) { step<<<(n + 255) / 256, 256>>>(k == 3 ? a : b, a, n); std::swap(a, b); } return 0; }
PROGRAM(rotated_clean) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; INTS(a, n); INTS(b, n); INTS(c, n); for (int k = 0; k < turns; k++) { step<<<(n + 255) / 256, 256>>>(b, a, n); int *first = a; a = b; b = c; c = first; } return 0; }
PROGRAM(rotated_race) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; INTS(a, n); INTS(b, n); INTS(c, n); for (int k = 0; k < turns; k++) { step<<<(n + 255) / 256, 256>>>(b, a, n); int *first = a; a = b; b = c; c = k == 1 ? b : first; } return 0; }
PROGRAM(both_chosen_clean) { int n = DEFAULT(1, 1000); if (n < 3 || n > 100000) return 1; INTS(a, n); INTS(b, n); bool turned = n % 2; step<<<(n + 255) / 256, 256>>>(turned ? a : b, turned ? b : a, n); return 0; }
PROGRAM(both_chosen_race) { int n = DEFAULT(1, 1000); if (n < 3 || n > 100000) return 1; INTS(a, n); INTS(b, n); step<<<(n + 255) / 256, 256>>>(n % 2 ? a : b, n % 3 ? b : a, n); return 0; }

// One of two conditions holds.
PROGRAM(either_clean) { int n = 1024, by = 0; for (int i = 1; i < argc; i++) { if (!std::strcmp(argv[i], "-n") && i + 1 < argc) n = std::atoi(argv[++i]); else if (!std::strcmp(argv[i], "-b") && i + 1 < argc) by = std::atoi(argv[++i]); } if (n < 1 || n > 65536 || by < 0 || by > 65536) return 2; if (by != 0 && by < n) return 3; INTS(a, n + by); cudaMemset(a, 0, 4 * (n + by)); shift<<<(n + 127) / 128, 128>>>(a, n, by); return 0; }
PROGRAM(either_race) { int n = 1024, by = 0; for (int i = 1; i < argc; i++) { if (!std::strcmp(argv[i], "-n") && i + 1 < argc) n = std::atoi(argv[++i]); else if (!std::strcmp(argv[i], "-b") && i + 1 < argc) by = std::atoi(argv[++i]); } if (n < 1 || n > 65536 || by < 0 || by > 65536) return 2; if (by > 1 && by < n) return 3; INTS(a, n + by); cudaMemset(a, 0, 4 * (n + by)); shift<<<(n + 127) / 128, 128>>>(a, n, by); return 0; }

// A block has a power of two of threads.
PROGRAM(power_of_two_clean) { int b = DEFAULT(1, 64); if (b < 32 || b > 512 || (b & (b - 1))) return 1; INTS(a, 8 * b); cudaMemset(a, 0, 32 * b); pair_16<<<8, b, 4 * b>>>(a); return 0; }
PROGRAM(power_of_two_race) { int b = DEFAULT(1, 64); if (b < 32 || b > 512 || (b & (b - 1))) return 1; INTS(a, 8 * b + 64); cudaMemset(a, 0, 32 * b + 256); pair_32<<<8, b, 4 * b>>>(a); return 0; }
PROGRAM(summed_clean) { int b = DEFAULT(1, 256); assert(b >= 2 && b <= 1024 && (b & (b - 1)) == 0); INTS(a, 32 * b); INTS(o, 32); cudaMemset(a, 0, 128 * b); halve<<<32, b, 4 * b>>>(a, o); return 0; }
PROGRAM(summed_race) { int b = DEFAULT(1, 256); assert(b >= 2 && b <= 1024 && (b & (b - 1)) == 0); INTS(a, 32 * b); INTS(o, 32); cudaMemset(a, 0, 128 * b); halve<<<32, b, 4 * b>>>(a, b > 512 ? a : o); return 0; }

// Rows of a pitch that is rounded up, and down.
PROGRAM(rounded_rows_clean) { int w = DEFAULT(1, 100); if (w < 1 || w > 4096) return 1; Matrix shape = {32, w, (w + 31) / 32 * 32}; INTS(m, 32 * (w + 64)); fill<<<shape.rows, 128>>>(m, shape); return 0; }
PROGRAM(rounded_rows_race) { int w = DEFAULT(1, 100); if (w < 1 || w > 4096) return 1; Matrix shape = {32, w, w / 32 * 32}; INTS(m, 32 * (w + 64)); fill<<<shape.rows, 128>>>(m, shape); return 0; }

// A grid of a limited number of blocks, whose last turn does not overflow.
PROGRAM(limited_grid_clean) { int n = DEFAULT(1, 1000); if (n < 1 || n > 10000000) return 1; INTS(a, n); square<<<std::min((n + 255) / 256, 1024), 256>>>(a, n); return 0; }
PROGRAM(limited_grid_race) { int n = DEFAULT(1, 1000); if (n < 1 || n > 10000000) return 1; INTS(a, n); square_again<<<std::min((n + 255) / 256, 1024), 256>>>(a, n); return 0; }

// A file has the sizes.
PROGRAM(file_clean) { if (argc < 2) return 1; std::FILE *f = std::fopen(argv[1], "r"); int count, pitch; if (!f || std::fscanf(f, "%d %d", &count, &pitch) != 2) return 2; if (count < 1 || count > 64 || pitch < 128 || pitch > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<count, 128>>>(m, pitch); return 0; }
PROGRAM(file_race) { if (argc < 2) return 1; std::FILE *f = std::fopen(argv[1], "r"); int count, pitch; if (!f || std::fscanf(f, "%d %d", &count, &pitch) != 2) return 2; if (count < 1 || count > 64 || pitch < 100 || pitch > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<count, 128>>>(m, pitch); return 0; }
PROGRAM(bytes_clean) { if (argc < 2) return 1; std::FILE *f = std::fopen(argv[1], "rb"); int sizes[2]; if (!f || std::fread(sizes, sizeof(int), 2, f) != 2) return 2; if (sizes[0] < 1 || sizes[0] > 64 || sizes[1] < 128 || sizes[1] > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<sizes[0], 128>>>(m, sizes[1]); return 0; }
PROGRAM(bytes_race) { if (argc < 2) return 1; std::FILE *f = std::fopen(argv[1], "rb"); int sizes[2]; if (!f || std::fread(sizes, sizeof(int), 2, f) != 2) return 2; if (sizes[0] < 1 || sizes[0] > 64 || sizes[1] < 100 || sizes[1] > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<sizes[0], 128>>>(m, sizes[1]); return 0; }
PROGRAM(stream_clean) { if (argc < 2) return 1; std::ifstream f(argv[1]); int count, pitch; if (!(f >> count >> pitch)) return 2; if (count < 1 || count > 64 || pitch < 128 || pitch > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<count, 128>>>(m, pitch); return 0; }
PROGRAM(stream_race) { if (argc < 2) return 1; std::ifstream f(argv[1]); int count, pitch; if (!(f >> count >> pitch)) return 2; if (count < 1 || count > 64 || pitch < 100 || pitch > 512) return 3; INTS(m, 64 * 512 + 128); rows<<<count, 128>>>(m, pitch); return 0; }

int main() { return 0; }
