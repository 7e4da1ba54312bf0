// Arrays and texture objects: copies, addressing, filtering, formats.
#include "check.h"

__global__ void fetch(cudaTextureObject_t t, const float2 *at, float *out) {
    int i = threadIdx.x;
    out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

__global__ void bytes(cudaTextureObject_t t, uchar4 *out) { out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x, 0); }

__global__ void buffer(cudaTextureObject_t t, int *out) { out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x - 1); }

__global__ void layers(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x);
}

const int W = 8, H = 4;

cudaTextureObject_t texture(const cudaResourceDesc &resource, cudaTextureFilterMode filter, bool normalized,
                            cudaTextureAddressMode mode) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = normalized;
    cudaTextureObject_t out = 0;
    OK(cudaCreateTextureObject(&out, &resource, &how, nullptr));
    return out;
}

int main() {
    float h[3 * H * W], got[W];
    for (int i = 0; i < 3 * H * W; ++i) h[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, W, H));
    OK(cudaMemcpy2DToArray(array, 0, 0, h, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    cudaExtent extent;
    unsigned flags;
    OK(cudaArrayGetInfo(&format, &extent, &flags, array));
    EXPECT(extent.width == W && extent.height == H && extent.depth == 0 && format.x == 32);
    OK(cudaMemcpy2DFromArray(got, sizeof got, array, 0, 2, sizeof got, 1, cudaMemcpyDeviceToHost));
    EXPECT(got[7] == 23);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;

    float2 at[4] = {{2.5f, 1.5f}, {2.75f, 1.5f}, {-3, -3}, {7.9f, 99}}, *d_at;
    float *d;
    OK(cudaMalloc(&d_at, sizeof at));
    OK(cudaMalloc(&d, W * sizeof(float)));
    OK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture(resource, cudaFilterModePoint, false, cudaAddressModeClamp);
    fetch<<<1, 4>>>(t, d_at, d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 10 && got[1] == 10 && got[2] == 0 && got[3] == 31);
    OK(cudaDestroyTextureObject(t));
    t = texture(resource, cudaFilterModeLinear, false, cudaAddressModeClamp);
    fetch<<<1, 4>>>(t, d_at, d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 10 && got[1] == 10.25f && got[2] == 0 && got[3] == 31);
    float2 wrapped[4] = {{1.0f + 2.5f / W, 0.5f / H}, {-0.5f / W, 1.5f / H}, {0.5f / W, -0.5f / H}, {2, 3}};
    OK(cudaMemcpy(d_at, wrapped, sizeof at, cudaMemcpyHostToDevice));
    t = texture(resource, cudaFilterModePoint, true, cudaAddressModeWrap);
    fetch<<<1, 4>>>(t, d_at, d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 2 && got[1] == 15 && got[2] == 24 && got[3] == 0);

    // Pitched memory of four channels, and a buffer of integers.
    uchar4 pixels[W], *d_pixels, seen[W];
    for (int i = 0; i < W; ++i) pixels[i] = make_uchar4(i, 2 * i, 255 - i, 7);
    size_t pitch;
    OK(cudaMallocPitch(&d_pixels, &pitch, sizeof pixels, 1));
    OK(cudaMemcpy(d_pixels, pixels, sizeof pixels, cudaMemcpyHostToDevice));
    cudaResourceDesc pitched = {};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D = {d_pixels, cudaCreateChannelDesc<uchar4>(), W, 1, pitch};
    uchar4 *d_seen;
    OK(cudaMalloc(&d_seen, sizeof seen));
    bytes<<<1, W>>>(texture(pitched, cudaFilterModePoint, false, cudaAddressModeClamp), d_seen);
    OK(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(seen, pixels, sizeof seen) == 0);
    int numbers[3] = {-5, 6, 7}, *d_numbers, found[5], *d_found;
    OK(cudaMalloc(&d_numbers, sizeof numbers));
    OK(cudaMalloc(&d_found, sizeof found));
    OK(cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {d_numbers, cudaCreateChannelDesc<int>(), sizeof numbers};
    buffer<<<1, 5>>>(texture(linear, cudaFilterModePoint, false, cudaAddressModeClamp), d_found);
    OK(cudaMemcpy(found, d_found, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 0 && found[1] == -5 && found[2] == 6 && found[3] == 7 && found[4] == 0);

    // Layers, filled by a copy in three dimensions.
    cudaArray_t layered;
    OK(cudaMalloc3DArray(&layered, &format, make_cudaExtent(W, H, 3), cudaArrayLayered));
    cudaMemcpy3DParms all = {};
    all.srcPtr = make_cudaPitchedPtr(h, W * sizeof(float), W, H);
    all.dstArray = layered;
    all.extent = make_cudaExtent(W, H, 3);
    all.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&all));
    resource.res.array.array = layered;
    layers<<<1, 3>>>(texture(resource, cudaFilterModePoint, false, cudaAddressModeClamp), d);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 1 && got[1] == 33 && got[2] == 65);
    OK(cudaFreeArray(layered));
    OK(cudaFreeArray(array));
    FAILS(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
    std::puts("ok");
}
