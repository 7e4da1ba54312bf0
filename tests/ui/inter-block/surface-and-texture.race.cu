//@ lens-ptx: race
//@ class: inter-block
// An image is brightened through a surface and blurred through a texture of the same array.
// One kernel does both: it fetches neighbours that other blocks write.
#include "../support/check.h"

constexpr int N = 128, BLOCK = 32;

__global__ void brighten_and_blur(cudaSurfaceObject_t surface, cudaTextureObject_t texture, int *out) {
    int x = blockIdx.x * BLOCK + threadIdx.x;
    surf1Dwrite(x + 1, surface, x * int(sizeof(int))); //~ RACE(1)
    out[x] = tex1D<int>(texture, (x + BLOCK) % N); //~ RACE(1)
}

int main() {
    static int host[N];
    int *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof host));
    cudaArray_t image;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&image, &format, N, 0, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(image, 0, 0, host, sizeof host, sizeof host, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    cudaTextureDesc how{};
    how.addressMode[0] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    brighten_and_blur<<<N / BLOCK, BLOCK>>>(surface, texture, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int x = 0; x < N; ++x) wrong += host[x] != (x + BLOCK) % N + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
