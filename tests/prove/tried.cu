// Programs in pairs like those of `realistic.cu`. These were written for a trial, before any of them was asked about.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <cuda_runtime.h>

#define PROGRAM(name) extern "C" int name(int argc, char **argv)

extern "C" __global__ void tiles(int *out, int width, int tile) {
    int x = blockIdx.x * tile + threadIdx.x;
    if (x < width) out[blockIdx.y * width + x] = x;
}
extern "C" __global__ void reduce(const float *in, float *out, int n) {
    extern __shared__ float part[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void windows(float *a, int hop, int length) {
    for (int k = threadIdx.x; k < length; k += blockDim.x) a[blockIdx.x * hop + k] = k;
}
struct Grid { int nx, ny, stride; float *cells; };
extern "C" __global__ void fill(Grid g) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < g.nx && y < g.ny) g.cells[y * g.stride + x] = x * y;
}
extern "C" __global__ void copy_shift(float *a, int n, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i + shift] = a[i];
}
template <class T> static T *device(size_t n) { T *p; if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) std::exit(9); return p; }
static int up(int a, int b) { return (a + b - 1) / b; }

// An option parser with strcmp.
struct Options { int hop = 256, length = 256, count = 8; };
static bool parse(int argc, char **argv, Options &o) {
    for (int i = 1; i + 1 < argc; i += 2) {
        int v = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--hop")) o.hop = v;
        else if (!std::strcmp(argv[i], "--length")) o.length = v;
        else if (!std::strcmp(argv[i], "--count")) o.count = v;
        else return false;
    }
    return true;
}
PROGRAM(options_clean) { Options o; if (!parse(argc, argv, o)) return 1; if (o.length < 1 || o.length > 4096 || o.hop < o.length || o.hop > 8192 || o.count < 1 || o.count > 64) return 2; windows<<<o.count, 128>>>(device<float>(o.count * o.hop), o.hop, o.length); return 0; }
PROGRAM(options_race) { Options o; if (!parse(argc, argv, o)) return 1; if (o.length < 1 || o.length > 4096 || o.hop < 1 || o.hop > 8192 || o.count < 1 || o.count > 64) return 2; windows<<<o.count, 128>>>(device<float>(o.count * o.hop + o.length), o.hop, o.length); return 0; }
// getenv with a default and a clamp.
PROGRAM(environment_clean) { const char *e = std::getenv("TILE"); int tile = e ? std::atoi(e) : 64; tile = std::min(std::max(tile, 32), 512); int w = 1000; tiles<<<dim3(up(w, tile), 4), tile>>>(device<int>(4 * w), w, tile); return 0; }
PROGRAM(environment_race) { const char *e = std::getenv("TILE"); int tile = e ? std::atoi(e) : 64; tile = std::min(std::max(tile, 32), 512); int w = 1000; tiles<<<dim3(up(w, tile), 4), 64>>>(device<int>(4 * w), w, tile); return 0; }
// A class with its sizes.
class Field {
  public:
    Field(int nx, int ny) : nx(nx), ny(ny), stride(up(nx, 32) * 32), cells(device<float>(ny * stride)) {}
    ~Field() { cudaFree(cells); }
    Grid view(int s) const { return {nx, ny, s, cells}; }
    void run(int s) const { fill<<<dim3(up(nx, 128), ny), 128>>>(view(s)); }
    int nx, ny, stride;
    float *cells;
};
PROGRAM(class_clean) { if (argc < 3) return 1; int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]); if (nx < 1 || nx > 1000 || ny < 1 || ny > 1000) return 2; Field f(nx, ny); f.run(f.stride); return 0; }
PROGRAM(class_race) { if (argc < 3) return 1; int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]); if (nx < 1 || nx > 1000 || ny < 1 || ny > 1000) return 2; Field f(nx, ny); f.run(f.ny); return 0; }
// A template by a switch.
template <int B> static void launch_windows(float *a, int count, int hop) { windows<<<count, B>>>(a, hop, B * 2); }
PROGRAM(switch_clean) { if (argc < 3) return 1; int kind = std::atoi(argv[1]), hop = std::atoi(argv[2]); if (hop < 512 || hop > 2048) return 2; float *a = device<float>(8 * 2048); switch (kind) { case 1: launch_windows<64>(a, 8, hop); break; case 2: launch_windows<128>(a, 8, hop); break; case 3: launch_windows<256>(a, 8, hop); break; default: return 3; } return 0; }
PROGRAM(switch_race) { if (argc < 3) return 1; int kind = std::atoi(argv[1]), hop = std::atoi(argv[2]); if (hop < 512 || hop > 2048) return 2; float *a = device<float>(8 * 2048 + 1024); switch (kind) { case 1: launch_windows<64>(a, 8, hop); break; case 2: launch_windows<128>(a, 8, hop); break; case 3: launch_windows<512>(a, 8, hop); break; default: return 3; } return 0; }
// Dynamic shared memory and blocks by a power of two.
PROGRAM(power_clean) { int b = argc > 1 ? std::atoi(argv[1]) : 128; if (b != 64 && b != 128 && b != 256) return 1; int n = 10000; reduce<<<up(n, b), b, b * sizeof(float)>>>(device<float>(n), device<float>(up(n, b)), n); return 0; }
PROGRAM(power_race) { int b = argc > 1 ? std::atoi(argv[1]) : 128; if (b < 32 || b > 256) return 1; float *a = device<float>(4096); copy_shift<<<up(2048, b), b>>>(a, 2048, b); return 0; }
// Halves of one allocation; a shift that is checked against the number of elements.
PROGRAM(halves_clean) { int n = argc > 1 ? std::atoi(argv[1]) : 1024; if (n < 2 || n > 1 << 20) return 1; int half = up(n, 2); float *a = device<float>(2 * half); copy_shift<<<up(half, 256), 256>>>(a, half, half); return 0; }
PROGRAM(halves_race) { int n = argc > 1 ? std::atoi(argv[1]) : 1024; if (n < 2 || n > 1 << 20) return 1; int half = n / 2; float *a = device<float>(2 * n); copy_shift<<<up(n - half, 256), 256>>>(a, n - half, half); return 0; }
int main() { return 0; }
