//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// An array is downloaded on one stream; a kernel on another writes it through a surface.
// Nothing makes the download wait for the kernel.
#include "../support/check.h"

constexpr int N = 64;

__global__ void fill(cudaSurfaceObject_t surface) {
    int x = threadIdx.x;
    surf1Dwrite(x, surface, x * int(sizeof(int))); //~ RACE(1)
}

int main() {
    int *host, wrong = 0;
    cudaStream_t work, download;
    const size_t bytes = N * sizeof(int);
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&download, cudaStreamNonBlocking));
    cudaArray_t image;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&image, &format, N, 0, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    fill<<<1, N, 0, work>>>(surface);
    CHECK(cudaMemcpy2DFromArrayAsync(host, bytes, image, 0, 0, bytes, 1, cudaMemcpyDeviceToHost, download)); //~ RACE(1)
    CHECK(cudaDeviceSynchronize());
    for (int x = 0; x < N; ++x) wrong += host[x] != x;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
