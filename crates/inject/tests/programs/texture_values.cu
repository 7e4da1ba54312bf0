// Texture fetches of every kind at many coordinates, as bits: a line for each texture, filter (0 point,
// 1 linear), addressing mode (wrap, clamp, mirror, border), and whether coordinates are normalized.
// texture_values.h200.txt is what it writes on an NVIDIA H200 (driver 580.159, nvcc 13.0.88 -arch=sm_90).
#include "check.h"
#include <cstdint>

const int W = 9, H = 5, D = 3, N = 24;

__device__ float coordinate(unsigned i, unsigned salt, float size) {
    unsigned z = (i * 2654435761u) ^ (salt * 40503u + 977u);
    z ^= z >> 15;
    z *= 2246822519u;
    z ^= z >> 13;
    return ((z & 0xffff) / 65536.0f * 3.0f - 1.0f) * size;
}

template <typename T> __device__ uint32_t bits(T v);
template <> __device__ uint32_t bits(float v) { return __float_as_uint(v); }
template <> __device__ uint32_t bits(unsigned v) { return v; }
template <> __device__ uint32_t bits(int v) { return v; }

template <typename T> __global__ void one(cudaTextureObject_t t, uint32_t *out, float w) {
    out[threadIdx.x] = bits(tex1D<T>(t, coordinate(threadIdx.x, 1, w)));
}
template <typename T> __global__ void two(cudaTextureObject_t t, uint32_t *out, float w, float h) {
    out[threadIdx.x] = bits(tex2D<T>(t, coordinate(threadIdx.x, 1, w), coordinate(threadIdx.x, 2, h)));
}
template <typename T> __global__ void three(cudaTextureObject_t t, uint32_t *out, float w, float h, float d) {
    out[threadIdx.x] = bits(tex3D<T>(t, coordinate(threadIdx.x, 1, w), coordinate(threadIdx.x, 2, h), coordinate(threadIdx.x, 3, d)));
}
__global__ void layered(cudaTextureObject_t t, uint32_t *out, float w, float h) {
    out[threadIdx.x] = bits(tex2DLayered<float>(t, coordinate(threadIdx.x, 1, w), coordinate(threadIdx.x, 2, h), threadIdx.x % D));
}
__global__ void cube(cudaTextureObject_t t, uint32_t *out) {
    out[threadIdx.x] = bits(texCubemap<float>(t, coordinate(threadIdx.x, 1, 1), coordinate(threadIdx.x, 2, 1), coordinate(threadIdx.x, 3, 1)));
}

uint32_t *out;

int show(const char *what, int filter, int mode, int normalized) {
    uint32_t got[N];
    OK(cudaGetLastError());
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s %d %d %d:", what, filter, mode, normalized);
    for (uint32_t v : got) std::printf(" %08x", v);
    std::puts("");
    return 0;
}

int main() {
    OK(cudaMalloc(&out, N * sizeof *out));
    float h[W * W * 6];
    unsigned char b[W * H];
    for (int i = 0; i < W * W * 6; ++i) h[i] = (i * 37 % 101) * 0.37f - 11.0f;
    for (int i = 0; i < W * H; ++i) b[i] = i * 53 % 256;
    auto floats = cudaCreateChannelDesc<float>();
    auto chars = cudaCreateChannelDesc<unsigned char>();
    auto signs = cudaCreateChannelDesc<signed char>();
    cudaArray_t row, plane, bytes, sbytes, solid, layers, faces;
    OK(cudaMallocArray(&row, &floats, W));
    OK(cudaMemcpy2DToArray(row, 0, 0, h, W * 4, W * 4, 1, cudaMemcpyHostToDevice));
    OK(cudaMallocArray(&plane, &floats, W, H));
    OK(cudaMemcpy2DToArray(plane, 0, 0, h, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    OK(cudaMallocArray(&bytes, &chars, W, H));
    OK(cudaMemcpy2DToArray(bytes, 0, 0, b, W, W, H, cudaMemcpyHostToDevice));
    OK(cudaMallocArray(&sbytes, &signs, W, H));
    OK(cudaMemcpy2DToArray(sbytes, 0, 0, b, W, W, H, cudaMemcpyHostToDevice));
    struct { cudaArray_t *array; cudaExtent extent; unsigned flags; } threes[] = {
        {&solid, make_cudaExtent(W, H, D), 0},
        {&layers, make_cudaExtent(W, H, D), cudaArrayLayered},
        {&faces, make_cudaExtent(W, W, 6), cudaArrayCubemap},
    };
    for (auto &t : threes) {
        OK(cudaMalloc3DArray(t.array, &floats, t.extent, t.flags));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(h, t.extent.width * 4, t.extent.width, t.extent.height);
        copy.dstArray = *t.array;
        copy.extent = t.extent;
        copy.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&copy));
    }
    for (int filter = 0; filter < 2; ++filter)
        for (int mode = 0; mode < 4; ++mode)
            for (int normalized = 0; normalized < 2; ++normalized) {
                // Wrap and mirror need normalized coordinates.
                if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
                cudaTextureDesc how = {};
                how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaTextureAddressMode(mode);
                how.filterMode = cudaTextureFilterMode(filter);
                how.normalizedCoords = normalized;
                auto make = [&](cudaArray_t array, cudaTextureReadMode read) {
                    cudaResourceDesc resource = {};
                    resource.resType = cudaResourceTypeArray;
                    resource.res.array.array = array;
                    how.readMode = read;
                    cudaTextureObject_t t = 0;
                    cudaError_t error = cudaCreateTextureObject(&t, &resource, &how, nullptr);
                    if (error) std::printf("create: %s\n", cudaGetErrorString(error));
                    return t;
                };
                auto raw = cudaReadModeElementType, unit = cudaReadModeNormalizedFloat;
                float w = normalized ? 1 : W, hh = normalized ? 1 : H, d = normalized ? 1 : D;
                one<float><<<1, N>>>(make(row, raw), out, w);
                if (show("1d", filter, mode, normalized)) return 1;
                two<float><<<1, N>>>(make(plane, raw), out, w, hh);
                if (show("2d", filter, mode, normalized)) return 1;
                two<float><<<1, N>>>(make(bytes, unit), out, w, hh);
                if (show("2d-u8-unit", filter, mode, normalized)) return 1;
                two<float><<<1, N>>>(make(sbytes, unit), out, w, hh);
                if (show("2d-s8-unit", filter, mode, normalized)) return 1;
                if (filter == 0) {
                    two<unsigned><<<1, N>>>(make(bytes, raw), out, w, hh);
                    if (show("2d-u8", filter, mode, normalized)) return 1;
                }
                three<float><<<1, N>>>(make(solid, raw), out, w, hh, d);
                if (show("3d", filter, mode, normalized)) return 1;
                layered<<<1, N>>>(make(layers, raw), out, w, hh);
                if (show("layered", filter, mode, normalized)) return 1;
                if (mode == cudaAddressModeClamp && normalized) {
                    cube<<<1, N>>>(make(faces, raw), out);
                    if (show("cube", filter, mode, normalized)) return 1;
                }
            }
    return 0;
}
