// Programs in pairs like those of `filled.cu`: tables of pointers to arrays that the host allocates one by one.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)

// Each row of blocks writes a row.
extern "C" __global__ void lines(float **rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rows[blockIdx.y][i] = i + blockIdx.y;
}
// The same, and reads another array.
extern "C" __global__ void shifted(float **rows, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) rows[blockIdx.y][i] = in[i + 1];
}
static int blocks(int n) { return (n + 127) / 128; }
static int lined(float **rows, int m, int n) {
    float **table;
    cudaMalloc(&table, m * sizeof(float *));
    cudaMemcpy(table, rows, m * sizeof(float *), cudaMemcpyHostToDevice);
    lines<<<dim3(blocks(n), m), 128>>>(table, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
static int read(float **rows, const float *in, int m, int n) {
    float **table;
    cudaMalloc(&table, m * sizeof(float *));
    cudaMemcpy(table, rows, m * sizeof(float *), cudaMemcpyHostToDevice);
    shifted<<<dim3(blocks(n), m), 128>>>(table, in, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#define SIZE int n = DEFAULT(1, 1000); if (n < 2 || n > 100000) return 1
#define SIZES SIZE; int m = DEFAULT(2, 6); if (m < 2 || m > 100) return 1

// An array of each row's own; every second one is that of the row before.
PROGRAM(each_clean) { SIZE; float *rows[8]; for (int k = 0; k < 8; k++) cudaMalloc(&rows[k], n * sizeof(float)); return lined(rows, 8, n); }
PROGRAM(each_race) { SIZE; float *rows[8]; for (int k = 0; k < 8; k++) { if (k % 2 == 0) cudaMalloc(&rows[k], n * sizeof(float)); else rows[k] = rows[k - 1]; } return lined(rows, 8, n); }
// As many rows as an argument says; parts of one array that overlap.
PROGRAM(many_clean) { SIZES; std::vector<float *> rows(m); for (int k = 0; k < m; k++) cudaMalloc(&rows[k], n * sizeof(float)); return lined(rows.data(), m, n); }
PROGRAM(many_race) { SIZES; std::vector<float *> rows(m); float *all; cudaMalloc(&all, m * n * sizeof(float)); for (int k = 0; k < m; k++) rows[k] = all + k * (n - 1); return lined(rows.data(), m, n); }
// By a variable of each turn, and cleared; by a variable of all turns.
PROGRAM(turn_clean) { SIZES; std::vector<float *> rows(m); for (int k = 0; k < m; k++) { float *row; cudaMalloc(&row, n * sizeof(float)); cudaMemset(row, 0, n * sizeof(float)); rows[k] = row; } return lined(rows.data(), m, n); }
PROGRAM(turn_race) { SIZES; std::vector<float *> rows(m); float *row; cudaMalloc(&row, n * sizeof(float)); for (int k = 0; k < m; k++) { cudaMemset(row, 0, n * sizeof(float)); rows[k] = row; } return lined(rows.data(), m, n); }
// Another array is read; one of the rows is.
PROGRAM(other_clean) { SIZES; std::vector<float *> rows(m); for (int k = 0; k < m; k++) cudaMalloc(&rows[k], n * sizeof(float)); float *in; cudaMalloc(&in, n * sizeof(float)); return read(rows.data(), in, m, n); }
PROGRAM(other_race) { SIZES; std::vector<float *> rows(m); for (int k = 0; k < m; k++) cudaMalloc(&rows[k], n * sizeof(float)); return read(rows.data(), rows[1], m, n); }

int main() { return 0; }
