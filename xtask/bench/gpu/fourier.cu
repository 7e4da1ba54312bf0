// Fourier transforms of 1024 complex numbers in shared memory, 4096 of them, ten times.
#include "../timed.h"

__global__ void transform(float2 *data) {
    __shared__ float2 s[2][1024];
    float2 *own = data + blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += 512) s[0][i] = own[i];
    int from = 0;
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        int j = threadIdx.x, k = j & (half - 1);
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);
        float2 a = s[from][j], b = s[from][j + 512];
        float2 t = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        int to = 2 * j - k;
        s[1 - from][to] = make_float2(a.x + t.x, a.y + t.y);
        s[1 - from][to + half] = make_float2(a.x - t.x, a.y - t.y);
        from = 1 - from;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 512) own[i] = s[from][i];
}

int main() {
    float2 *data;
    cudaMalloc(&data, sizeof *data * 4096 * 1024);
    cudaMemset(data, 0, sizeof *data * 4096 * 1024);
    transform<<<4096, 512>>>(data);
    Timed timed;
    for (int i = 0; i < 10; i++) transform<<<4096, 512>>>(data);
}
