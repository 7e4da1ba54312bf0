//@ engine-guard: race
//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// A kernel looks colours up in two textures, one of linear memory and one of an array.
// The bug: both are updated on a stream that nothing orders with the kernel's. The clean twin updates on the kernel's
// stream.
#include "../support/check.h"

constexpr int N = 64;

__global__ void look_up(cudaTextureObject_t linear, cudaTextureObject_t array, int *out) {
    int x = threadIdx.x;
    int first = tex1Dfetch<int>(linear, x); //~ RACE(1)
    int second = tex2D<int>(array, x + 0.5f, 0.5f); //~ RACE(2)
    out[x] = first + second;
}

cudaTextureObject_t texture(const cudaResourceDesc &resource) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

int main() {
    int got[N], *colours, *out, *values, wrong = 0;
    cudaStream_t work, other;
    const size_t bytes = N * sizeof(int);
    CHECK(cudaMallocHost(&values, bytes));
    CHECK(cudaMalloc(&colours, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int x = 0; x < N; ++x) values[x] = x;
    cudaResourceDesc linear{}, image{};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = colours;
    linear.res.linear.desc = cudaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = bytes;
    image.resType = cudaResourceTypeArray;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&image.res.array.array, &format, N, 1));
    CHECK(cudaMemset(colours, 0, bytes));
    cudaTextureObject_t first = texture(linear), second = texture(image);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t stream = other;
    CHECK(cudaMemcpyAsync(colours, values, bytes, cudaMemcpyHostToDevice, stream)); //~ RACE(1)
    CHECK(cudaMemcpy2DToArrayAsync(image.res.array.array, 0, 0, values, bytes, bytes, 1, cudaMemcpyHostToDevice, stream)); //~ RACE(2)
    look_up<<<1, N, 0, work>>>(first, second, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int x = 0; x < N; ++x) wrong += got[x] != 2 * x;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
