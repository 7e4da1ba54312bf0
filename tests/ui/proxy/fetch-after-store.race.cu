//@ lens-ptx: race
//@ class: proxy
// Kernels fetch what they have stored themselves.
// The bug: textures, surfaces, the read-only and the constant cache are not kept coherent with the stores of the same
// kernel, those of the same thread included (Programming Guide, "Texture and Surface Memory"). The clean twin stores in one
// kernel and fetches in the next. Engine collide does not see which path a load takes, guard not that of constants.
#include "../support/check.h"

constexpr int N = 32;

__constant__ int table[N];
enum Phase { STORE, FETCH, BOTH };
constexpr Phase PHASES[] = {BOTH};

// Each thread stores its element and then fetches it, through the read-only cache, a texture, the constant cache and a surface.
__global__ void read_only(int phase, int *data, int *out) {
    int t = threadIdx.x, value = 0;
    if (phase != FETCH) data[t] = t; //~ RACE(1)
    if (phase != STORE) {
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(data + t) : "memory"); //~ RACE(1)
        out[t] += value;
    }
}

__global__ void texture(int phase, cudaTextureObject_t texture, int *data, int *out) {
    int t = threadIdx.x;
    if (phase != FETCH) data[N + t] = t; //~ RACE(2)
    if (phase != STORE)
        out[t] += tex1Dfetch<int>(texture, N + t); //~ RACE(2)
}

__global__ void constant(int phase, int *address, int *out) {
    int t = threadIdx.x;
    if (phase != FETCH) address[t] = t; //~ RACE(3)
    __syncthreads();
    if (phase != STORE)
        out[t] += table[N - 1 - t]; //~ RACE(3)
}

__global__ void surface(int phase, cudaSurfaceObject_t surface, int *out) {
    int t = threadIdx.x;
    if (phase != FETCH) surf2Dwrite(t, surface, t * int(sizeof(int)), 0); //~ RACE(4)
    __syncthreads();
    if (phase != STORE)
        out[t] += surf2Dread<int>(surface, (N - 1 - t) * int(sizeof(int)), 0); //~ RACE(4)
}

cudaTextureObject_t linear(int *data) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 2 * N * sizeof(int);
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

cudaSurfaceObject_t image() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&array, &format, N, 1, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

int main() {
    int got[N], *data, *out, *address, wrong = 0;
    CHECK(cudaMalloc(&data, 2 * N * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(data, 0, 2 * N * sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof got));
    CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), table));
    cudaTextureObject_t fetched = linear(data);
    cudaSurfaceObject_t drawn = image();
    for (int phase : PHASES) {
        read_only<<<1, N>>>(phase, data, out);
        texture<<<1, N>>>(phase, fetched, data, out);
        constant<<<1, N>>>(phase, address, out);
        surface<<<1, N>>>(phase, drawn, out);
    }
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 2 * i + 2 * (N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-collide: unseen
//@ engine-guard: race
