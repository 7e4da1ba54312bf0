// Kernels over rows of a constant length, in pairs: what races is as far apart as rows are long.

constexpr int ROW = 4096;

extern "C" __global__ void stencil_race(int rows, int columns, const float *in, float *out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows - 1 && column < columns - 1 && row > 0 && column > 0)
        out[row * ROW + column] = in[(row - 1) * ROW + column] + in[(row + 1) * ROW + column];
}

extern "C" __global__ void stencil_clean(int rows, int columns, const float *in, float *out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows - 1 && column < columns - 1 && row > 0 && column > 0 && column < ROW)
        out[row * ROW + column] = in[(row - 1) * ROW + column] + in[(row + 1) * ROW + column];
}

extern "C" __global__ void shifted_race(int rows, int columns, float *data) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > 0 && row < rows && column < columns)
        data[row * ROW + column] -= data[(row - 1) * ROW + column];
}

extern "C" __global__ void shifted_clean(int rows, int columns, const float *in, float *data) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > 0 && row < rows && column < columns && column < ROW)
        data[row * ROW + column] -= in[(row - 1) * ROW + column];
}
