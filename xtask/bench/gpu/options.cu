// Prices of 16 Mi options after Black and Scholes, five times.
#include "../timed.h"

__device__ float below(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void price(const float *spot, const float *strike, const float *years, float *call, float *put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = spot[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (__logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float later = __expf(-0.02f * t) * k;
    call[i] = s * below(d1) - later * below(d2);
    put[i] = later * below(-d2) - s * below(-d1);
}

int main() {
    const int n = 16 << 20;
    float *a[5];
    for (float *&p : a) {
        cudaMalloc(&p, sizeof *p * n);
        cudaMemset(p, 0x3f, sizeof *p * n);
    }
    price<<<n / 256, 256>>>(a[0], a[1], a[2], a[3], a[4], n);
    Timed timed;
    for (int i = 0; i < 5; i++) price<<<n / 256, 256>>>(a[0], a[1], a[2], a[3], a[4], n);
}
