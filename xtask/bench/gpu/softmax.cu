// Softmax of 262,144 rows of 256 floats, a warp a row, five times.
#include "../timed.h"

__global__ void softmax(const float *in, float *out) {
    size_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float v[8], most = -1e30f, sum = 0;
    for (int i = 0; i < 8; i++) most = fmaxf(most, v[i] = in[row * 256 + i * 32 + lane]);
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int i = 0; i < 8; i++) sum += v[i] = __expf(v[i] - most);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = 0; i < 8; i++) out[row * 256 + i * 32 + lane] = v[i] / sum;
}

int main() {
    const int rows = 262144;
    float *in, *out;
    cudaMalloc(&in, sizeof *in * rows * 256);
    cudaMalloc(&out, sizeof *out * rows * 256);
    cudaMemset(in, 0, sizeof *in * rows * 256);
    softmax<<<rows / 8, 256>>>(in, out);
    Timed timed;
    for (int i = 0; i < 5; i++) softmax<<<rows / 8, 256>>>(in, out);
}
