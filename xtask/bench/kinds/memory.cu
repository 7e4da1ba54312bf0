// Global, local, constant and texture memory, and shared memory in small pieces.
#include "kinds.h"
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

__device__ unsigned hash(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

const int N = 1 << 20;

__global__ void random_reads(unsigned *out, const unsigned *in, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++)
        x += in[hash(x + i) & (N - 1)] + 1;
    out[t] = x;
}
KIND(random_reads) {
    unsigned *in = zeros<unsigned>(N);
    random_reads<<<64, 256>>>(zeros<unsigned>(64 * 256), in, 24);
}

// Each thread writes elements a column apart: 32 cache lines for each warp's store.
__global__ void strided_writes(float *out, int rows, int columns) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < columns; j++)
        out[t * columns + j] = t + j;
}
KIND(strided_writes) { strided_writes<<<64, 256>>>(zeros<float>(N), 64 * 256, N / (64 * 256)); }

// A permutation: no two threads write to the same element.
__global__ void scattered_writes(unsigned *out, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[(i * 2654435761u + 12345u) & (N - 1)] = i;
}
KIND(scattered_writes) { scattered_writes<<<64, 256>>>(zeros<unsigned>(N), N); }

__global__ void transpose_naive(float *out, const float *in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
KIND(transpose_naive) {
    transpose_naive<<<dim3(32, 128), dim3(32, 8)>>>(zeros<float>(N), zeros<float>(N), 1024);
}

__global__ void cas_loop(unsigned *table, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < turns; i++) {
        unsigned *slot = &table[hash(t * 31 + i) & 0xffff], old = *(volatile unsigned *)slot, seen;
        while ((seen = atomicCAS(slot, old, old + 1)) != old)
            old = seen;
    }
}
KIND(cas_loop) { cas_loop<<<64, 256>>>(zeros<unsigned>(1 << 16), 8); }

__global__ void atomic_result(unsigned *out, unsigned *table, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < turns; i++)
        x += atomicAdd(&table[hash(x + i) & 0xffff], 1u);
    out[t] = x;
}
KIND(atomic_result) { atomic_result<<<64, 256>>>(zeros<unsigned>(64 * 256), zeros<unsigned>(1 << 16), 8); }

__global__ void atomic_unused(unsigned *table, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < turns; i++)
        atomicAdd(&table[hash(t * 31 + i) & 0xfff], 1u);
}
KIND(atomic_unused) { atomic_unused<<<64, 256>>>(zeros<unsigned>(1 << 12), 24); }

__global__ void volatile_reads(unsigned *out, volatile unsigned *in, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
    for (int i = 0; i < turns; i++)
        x += in[(t + i * 64) & 0xffff];
    out[t] = x;
}
KIND(volatile_reads) { volatile_reads<<<64, 256>>>(zeros<unsigned>(64 * 256), zeros<unsigned>(1 << 16), 40); }

__global__ void racing_stores(int *changed, int n) {
    if (blockIdx.x * blockDim.x + threadIdx.x < n)
        *changed = 1;
}
RACY_KIND(racing_stores) { racing_stores<<<65535, 32>>>(zeros<int>(1), 65535 * 32); }

__global__ void coalesced(float *y, const float *x, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = x[i] * 2.f + y[i];
}
KIND(coalesced) { coalesced<<<64, 256>>>(zeros<float>(N), zeros<float>(N), N); }

__global__ void vector_loads(float4 *y, const float4 *x, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float4 a = x[i];
        y[i] = make_float4(a.w, a.z + 1, a.y, a.x);
    }
}
KIND(vector_loads) { vector_loads<<<64, 256>>>(zeros<float4>(N), zeros<float4>(N), N); }

// Shared memory: whole words, half words, bytes.
template <typename T> __global__ void shared_exchange(T *out, int turns) {
    __shared__ T s[256];
    unsigned t = threadIdx.x;
    T x = t;
    for (int i = 0; i < turns; i++) {
        s[t] = x;
        __syncthreads();
        x = s[(t + i) & 255] + 1;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = x;
}
KIND(shared_words) { shared_exchange<<<64, 256>>>(zeros<unsigned>(64 * 256), 60); }
KIND(shared_halves) { shared_exchange<<<64, 256>>>(zeros<unsigned short>(64 * 256), 60); }
KIND(shared_bytes) { shared_exchange<<<64, 256>>>(zeros<unsigned char>(64 * 256), 60); }

// Each byte is counted by itself: histograms of bytes that threads have for themselves.
__global__ void shared_byte_counters(unsigned *out, const unsigned char *in, int turns) {
    __shared__ unsigned char s[64 * 64];
    unsigned t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        s[i * 64 + t] = 0;
    for (int i = 0; i < turns; i++)
        s[(in[(blockIdx.x * turns + i) * 64 + t] & 63) * 64 + t]++;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        sum += s[t * 64 + i];
    out[blockIdx.x * 64 + t] = sum;
}
KIND(shared_byte_counters) {
    const int blocks = 64, turns = 100, n = blocks * turns * 64;
    unsigned char *host = new unsigned char[n];
    for (int i = 0; i < n; i++)
        host[i] = i * 2654435761u >> 13;
    shared_byte_counters<<<blocks, 64>>>(zeros<unsigned>(blocks * 64), copy_of(host, n), turns);
}

// Sums over a warp by `volatile`, as before there were shuffles: each half of the warp's words is of zeros.
__global__ void shared_volatile(unsigned *out, int turns) {
    __shared__ volatile unsigned words[512];
    unsigned t = threadIdx.x, at = 2 * t - (t & 31), x = t;
    for (int i = 0; i < turns; i++) {
        words[at] = 0;
        words[at + 32] = x;
        for (unsigned by = 1; by < 32; by *= 2) {
            unsigned sum = words[at + 32] + words[at + 32 - by];
            words[at + 32] = sum;
        }
        x += words[at + 32];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = x;
}
KIND(shared_volatile) { shared_volatile<<<64, 256>>>(zeros<unsigned>(64 * 256), 6); }

// Atomics of a block's own counters, and what they have found.
__global__ void shared_atomics(unsigned *out, int turns) {
    __shared__ unsigned bins[256];
    unsigned t = threadIdx.x, x = t;
    bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < turns; i++)
        x += atomicAdd(&bins[hash(x + i) & 255], 1u);
    __syncthreads();
    out[blockIdx.x * 256 + t] = x + bins[t];
}
KIND(shared_atomics) { shared_atomics<<<64, 256>>>(zeros<unsigned>(64 * 256), 16); }

__global__ void shared_matrix_product(float *c, const float *a, const float *b, int n) {
    __shared__ float s[16][16], r[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        r[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * r[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
KIND(shared_matrix_product) {
    const int n = 128;
    shared_matrix_product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(zeros<float>(n * n), zeros<float>(n * n), zeros<float>(n * n), n);
}

// An array that is indexed by data lives in local memory.
__global__ void local_memory(unsigned *out, int turns) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a[32];
    for (int i = 0; i < 32; i++)
        a[i] = t + i;
    for (int i = 0; i < turns; i++)
        a[(t + i) & 31] += a[(t * 7 + i * 3) & 31];
    unsigned sum = 0;
    for (int i = 0; i < 32; i++)
        sum += a[i];
    out[t] = sum;
}
KIND(local_memory) { local_memory<<<64, 256>>>(zeros<unsigned>(64 * 256), 100); }

__constant__ float coefficients[256];
__global__ void constant_memory(float *out, int turns) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    for (int i = 0; i < turns; i++)
        x = x * coefficients[i & 255] + coefficients[(i + 1) & 255];
    out[t] = x;
}
KIND(constant_memory) { constant_memory<<<64, 256>>>(zeros<float>(64 * 256), 200); }

__global__ void constant_memory_by_lane(float *out, int turns) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    for (int i = 0; i < turns; i++)
        x += coefficients[(t * 5 + i) & 255];
    out[t] = x;
}
KIND(constant_memory_by_lane) { constant_memory_by_lane<<<64, 256>>>(zeros<float>(64 * 256), 100); }

__global__ void texture_reads(float *out, cudaTextureObject_t texture, int n, int turns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0;
    for (int i = 0; i < turns; i++)
        sum += tex2D<float>(texture, x + i + 0.5f, y + 0.5f);
    out[y * n + x] = sum;
}
static void texture(cudaTextureFilterMode filter) {
    const int n = 256;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float *host = new float[n * n]();
    if (cudaMallocArray(&array, &format, n, n) != cudaSuccess ||
        cudaMemcpy2DToArray(array, 0, 0, host, n * sizeof *host, n * sizeof *host, n, cudaMemcpyHostToDevice) != cudaSuccess)
        std::exit(2);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t object;
    if (cudaCreateTextureObject(&object, &resource, &how, nullptr) != cudaSuccess)
        std::exit(2);
    texture_reads<<<dim3(1, 64), 256>>>(zeros<float>(n * n), object, n, 30);
}
KIND(texture_point) { texture(cudaFilterModePoint); }
KIND(texture_linear) { texture(cudaFilterModeLinear); }

__global__ void cp_async_pipeline(float *out, const float *in, int tiles) {
    __shared__ float s[2][256];
    int t = threadIdx.x;
    const float *mine = in + blockIdx.x * tiles * 256;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &mine[t], sizeof(float));
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&s[(k + 1) & 1][t], &mine[(k + 1) * 256 + t], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k & 1][(t + 1) & 255];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}
KIND(cp_async_pipeline) { cp_async_pipeline<<<64, 256>>>(zeros<float>(64 * 256), zeros<float>(64 * 256 * 30), 30); }

// Three bytes a pixel.
__global__ void pixels(unsigned char *grey, const unsigned char *in, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        grey[i] = (in[3 * i] + in[3 * i + 1] + in[3 * i + 2]) / 3;
}
KIND(pixels) { pixels<<<64, 256>>>(zeros<unsigned char>(N), zeros<unsigned char>(3 * N), N); }
