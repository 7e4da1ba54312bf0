// Programs in pairs like those of `admitted.cu`: index arrays that the host fills for any number of elements, and pointers
// that are kept in arrays.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)

extern "C" __global__ void scatter(const int *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = i;
}
extern "C" __global__ void step(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];
}
static int blocks(int n) { return (n + 127) / 128; }

static int scattered(const int *index, int n) {
    int *x, *o;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&o, (1 << 22) * sizeof(int));
    cudaMemcpy(x, index, n * sizeof(int), cudaMemcpyHostToDevice);
    scatter<<<blocks(n), 128>>>(x, o, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#define INDICES int n = DEFAULT(1, 1000); if (n < 1 || n > 20000) return 1; std::vector<int> index(n)

// Indices in the other order; two of the racy ones are one.
PROGRAM(reversed_clean) { INDICES; for (int i = 0; i < n; i++) index[i] = n - 1 - i; return scattered(index.data(), n); }
PROGRAM(reversed_race) { INDICES; for (int i = 0; i < n; i++) index[i] = (n - 1 - i) / 2; return scattered(index.data(), n); }
// Indices that begin elsewhere, and go round.
PROGRAM(round_clean) { INDICES; int by = std::clamp(DEFAULT(2, 7), 0, 1000); for (int i = 0; i < n; i++) index[i] = (i + by) % n; return scattered(index.data(), n); }
PROGRAM(round_race) { INDICES; int by = std::clamp(DEFAULT(2, 7), 0, 1000); for (int i = 0; i < n; i++) index[i] = (i + by) % (n - n / 4); return scattered(index.data(), n); }
// Neighbours change places.
PROGRAM(neighbours_clean) { INDICES; for (int i = 0; i < n; i++) index[i] = i ^ 1; return scattered(index.data(), n); }
PROGRAM(neighbours_race) { INDICES; for (int i = 0; i < n; i++) index[i] = i | 1; return scattered(index.data(), n); }
// Each third element, from `malloc`.
PROGRAM(thirds_clean) { int n = DEFAULT(1, 1000); if (n < 1 || n > 20000) return 1; int *index = (int *)std::malloc(n * sizeof(int)); for (int i = 0; i < n; i++) index[i] = 3 * i + 1; int failed = scattered(index, n); std::free(index); return failed; }
PROGRAM(thirds_race) { int n = DEFAULT(1, 1000); if (n < 1 || n > 20000) return 1; int *index = (int *)std::malloc(n * sizeof(int)); for (int i = 0; i < n; i++) index[i] = 3 * i / 4; int failed = scattered(index, n); std::free(index); return failed; }

// Two arrays whose pointers are kept in one, and change places by their index.
PROGRAM(indexed_clean) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; int *both[2]; cudaMalloc(&both[0], n * sizeof(int)); cudaMalloc(&both[1], n * sizeof(int)); for (int k = 0; k < turns; k++) step<<<blocks(n), 128>>>(both[(k + 1) % 2], both[k % 2], n); return 0; }
PROGRAM(indexed_race) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4); if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; int *both[2]; cudaMalloc(&both[0], n * sizeof(int)); cudaMalloc(&both[1], n * sizeof(int)); for (int k = 0; k < turns; k++) step<<<blocks(n), 128>>>(both[(k + 1) % 2], both[k / 2 % 2], n); return 0; }
PROGRAM(current_clean) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4), now = 0; if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; int *both[2]; cudaMalloc(&both[0], n * sizeof(int)); cudaMalloc(&both[1], n * sizeof(int)); for (int k = 0; k < turns; k++) { step<<<blocks(n), 128>>>(both[now ^ 1], both[now], n); now ^= 1; } return 0; }
PROGRAM(current_race) { int n = DEFAULT(1, 1000), turns = DEFAULT(2, 4), now = 0; if (n < 3 || n > 100000 || turns < 0 || turns > 50) return 1; int *both[2]; cudaMalloc(&both[0], n * sizeof(int)); cudaMalloc(&both[1], n * sizeof(int)); for (int k = 0; k < turns; k++) { step<<<blocks(n), 128>>>(both[k == 3 ? now : now ^ 1], both[now], n); now ^= 1; } return 0; }

int main() { return 0; }
