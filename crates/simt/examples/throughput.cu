// The kernels of throughput.rs; compiled to throughput.ptx by
//   nvcc -ptx -arch=sm_90 throughput.cu

extern "C" __global__ void alu_int(unsigned *out, int n) {
  unsigned a = threadIdx.x + blockIdx.x * blockDim.x, b = a * 3, c = a ^ 0x55;
#pragma unroll 8
  for (int i = 0; i < n; i++) {
    a = a * 1664525u + b;
    b = (b << 5) ^ c;
    c = max(c + i, a) & 0x7fffffff;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = a + b + c;
}

extern "C" __global__ void alu_float(float *out, int n) {
  float x = threadIdx.x * 0.001f, y = 1.0f, z = 0.5f;
#pragma unroll 8
  for (int i = 0; i < n; i++) {
    x = x * 0.999f + y;
    y = y * z + 0.01f;
    z = z - x * 0.0001f;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = x + y + z;
}

extern "C" __global__ void stream(const float *a, const float *b, float *c, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) c[i] = a[i] + 2.0f * b[i];
}

extern "C" __global__ void gather(const unsigned *a, unsigned *b, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) b[i] = a[(i * 7919u) & (n - 1)];
}

extern "C" __global__ void divergent(unsigned *out, int n) {
  unsigned v = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int i = 0; i < n; i++) {
    v = v * 1664525u + 1013904223u;
    if (v & 0x10000) s += v >> 3; else s ^= v * 5;
    if ((v >> 20) % 3 == 0) s = s * 3 + 1;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

extern "C" __global__ void barriers(unsigned *out, int n) {
  __shared__ unsigned s[256];
  unsigned t = threadIdx.x;
  s[t] = t;
  for (int i = 0; i < n; i++) {
    __syncthreads();
    unsigned v = s[(t + 1) & 255];
    __syncthreads();
    s[t] = v + i;
  }
  out[t + blockIdx.x * blockDim.x] = s[t];
}

extern "C" __global__ void atomics(unsigned *out, int n) {
  unsigned v = threadIdx.x + blockIdx.x * blockDim.x;
  for (int i = 0; i < n; i++) {
    v = v * 1664525u + 1013904223u;
    atomicAdd(out + (v >> 24), 1u);
  }
}

extern "C" __global__ void atomics_uniform(unsigned *out, int n) {
  for (int i = 0; i < n; i++) atomicAdd(out, 1u);
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float sa[16][16], sb[16][16];
  int x = threadIdx.x % 16, y = threadIdx.x / 16;
  int row = blockIdx.x / (n / 16) * 16 + y, col = blockIdx.x % (n / 16) * 16 + x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; i++) s += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[row * n + col] = s;
}
