// Programs in pairs like those of `admitted.cu`, written as applications are: classes, templates, lambdas, options, limits,
// the environment, streams, pitches and strings.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)
#define DEFAULT(n, value) (argc > n ? std::atoi(argv[n]) : value)

template <class T> class Buffer {
    T *data = nullptr;
    size_t count;

  public:
    explicit Buffer(size_t count) : count(count) { cudaMalloc(&data, count * sizeof(T)); }
    Buffer(const Buffer &) = delete;
    ~Buffer() { cudaFree(data); }
    T *get() { return data; }
    void clear() { cudaMemset(data, 0, count * sizeof(T)); }
};
static int blocks(int n, int block) { return (n + block - 1) / block; }

// The second half is the mirrored first one; with a smaller sum they overlap.
extern "C" __global__ void mirror(int *a, int n, int sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[sum - i] = a[i] + 1;
}
template <int LESS> static int mirrored(int argc, char **argv) {
    int n = DEFAULT(1, 256);
    if (n < 4) return 1;
    n = std::min(n, 1 << 20);
    Buffer<int> all(2 * size_t(n));
    all.clear();
    mirror<<<blocks(n, 128), 128>>>(all.get(), n, 2 * n - LESS);
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(mirrored_clean) { return mirrored<1>(argc, argv); }
PROGRAM(mirrored_race) { return mirrored<3>(argc, argv); }

// Rows of an allocation with a pitch.
extern "C" __global__ void pitched(char *base, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) reinterpret_cast<float *>(base + y * pitch)[x] = y;
}
static int rows(int argc, char **argv, int divisor) {
    if (argc < 3) return 1;
    int width = std::atoi(argv[1]), height = std::atoi(argv[2]);
    if (width < 1 || width > 4000 || height < 1 || height > 4000) return 2;
    char *data;
    size_t pitch;
    if (cudaMallocPitch(reinterpret_cast<void **>(&data), &pitch, width * sizeof(float), height) != cudaSuccess) return 3;
    pitched<<<dim3(blocks(width, 64), height), 64>>>(data, pitch / divisor, width, height);
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(pitched_clean) { return rows(argc, argv, 1); }
PROGRAM(pitched_race) { return rows(argc, argv, 4); }

// The environment says how many threads a block has, in whole warps.
extern "C" __global__ void reverse(int *a, int last) {
    extern __shared__ int tile[];
    int begin = blockIdx.x * blockDim.x;
    tile[threadIdx.x] = a[begin + threadIdx.x];
    __syncthreads();
    a[begin + last - threadIdx.x] = tile[threadIdx.x];
}
static int environment(int behind) {
    const char *text = std::getenv("THREADS");
    int threads = text ? std::atoi(text) : 128;
    threads = std::max(32, std::min(threads, 1024));
    threads = (threads + 31) / 32 * 32;
    Buffer<int> all(16 * 1024 + 64);
    all.clear();
    reverse<<<16, threads, threads * sizeof(int)>>>(all.get(), threads - 1 + behind);
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(environment_clean) { return environment(0); }
PROGRAM(environment_race) { return environment(16); }

// Parts of an array in four streams, the last one shorter.
extern "C" __global__ void part(int *a, int from, int to, int together) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to) a[i / together] += 1;
}
static int streams(int argc, char **argv, int together) {
    int n = DEFAULT(1, 4096);
    if (n < 16 || n > 1 << 20) return 1;
    cudaStream_t all[4];
    for (auto &stream : all) cudaStreamCreate(&stream);
    Buffer<int> data(n);
    data.clear();
    int each = (n + 3) / 4;
    for (int k = 0; k < 4; k++) {
        int from = k * each, to = std::min(n, from + each);
        if (to > from) part<<<blocks(to - from, 256), 256, 0, all[k]>>>(data.get(), from, to, together);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(streams_clean) { return streams(argc, argv, 1); }
PROGRAM(streams_race) { return streams(argc, argv, 2); }

// A matrix turned in tiles, whose sizes are options.
extern "C" __global__ void turned(float *out, const float *in, int width, int height, int pitch) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < height && y < width) out[y * pitch + x] = tile[threadIdx.x][threadIdx.y];
}
static int turn(int argc, char **argv, int less) {
    int width = 64, height = 48;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "-w") && i + 1 < argc) width = std::atoi(argv[++i]);
        else if (!std::strcmp(argv[i], "-h") && i + 1 < argc) height = std::atoi(argv[++i]);
        else return 1;
    }
    if (width < 1 || height < 1 || width > 2048 || height > 2048) return 2;
    Buffer<float> in(width * height), out(2048 * 2048);
    in.clear();
    turned<<<dim3(blocks(width, 16), blocks(height, 16)), dim3(16, 16)>>>(out.get(), in.get(), width, height, height - less);
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(turned_clean) { return turn(argc, argv, 0); }
PROGRAM(turned_race) { return turn(argc, argv, 1); }

// Parameters in a structure, each within limits.
struct Parameters { int n, stride, offset; };
extern "C" __global__ void spread(int *a, Parameters p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) a[p.offset + i * p.stride] = i;
}
static int spread_out(int argc, char **argv, int least) {
    Parameters p{DEFAULT(1, 100), DEFAULT(2, 1), DEFAULT(3, 0)};
    p.n = std::clamp(p.n, 1, 10000);
    p.stride = std::clamp(p.stride, least, 64);
    p.offset = std::clamp(p.offset, 0, 1000);
    Buffer<int> data(p.offset + p.n * 64 + 64);
    spread<<<blocks(p.n, 64), 64>>>(data.get(), p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(parameters_clean) { return spread_out(argc, argv, 1); }
PROGRAM(parameters_race) { return spread_out(argc, argv, 0); }

// A lambda chooses one of several instances by the size of a block.
template <int BLOCK> __global__ void instance(int *out, int n, int width) {
    __shared__ int tile[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    tile[t] = i < n ? i : 0;
    __syncthreads();
    if (i < n) out[i / width] = tile[BLOCK - 1 - t];
}
static int chosen(int argc, char **argv, int width) {
    int n = 1000, size = DEFAULT(1, 128);
    Buffer<int> out(4096);
    auto run = [&](auto constant, int width) {
        constexpr int block = decltype(constant)::value;
        instance<block><<<blocks(n, block), block>>>(out.get(), n, width);
    };
    switch (size) {
    case 64: run(std::integral_constant<int, 64>{}, 1); break;
    case 128: run(std::integral_constant<int, 128>{}, 1); break;
    case 256: run(std::integral_constant<int, 256>{}, width); break;
    default: return 1;
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(instances_clean) { return chosen(argc, argv, 1); }
PROGRAM(instances_race) { return chosen(argc, argv, 4); }

// The first argument is a word.
extern "C" __global__ void ascending(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}
extern "C" __global__ void folded(int *a, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i % width] = i;
}
static int word(int argc, char **argv, int width) {
    if (argc < 2) return 1;
    std::string mode = argv[1];
    Buffer<int> data(256);
    if (mode == "up") ascending<<<2, 128>>>(data.get(), 256);
    else if (mode == "fold") folded<<<2, 128>>>(data.get(), 256, width);
    else return 2;
    return cudaDeviceSynchronize() != cudaSuccess;
}
PROGRAM(word_clean) { return word(argc, argv, 256); }
PROGRAM(word_race) { return word(argc, argv, 255); }

int main() { return 0; }
