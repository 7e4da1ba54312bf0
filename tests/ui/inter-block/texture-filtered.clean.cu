//@ lens-ptx: clean
//@ class: inter-block
// Each row of an image is smoothed: a filtered fetch halfway between two texels weighs both.
// Clean: what is read and what is written are two images.
#include "../support/check.h"

constexpr int WIDTH = 128, HEIGHT = 2, BLOCK = 32;

__global__ void smooth(cudaTextureObject_t image, float *out, int row) {
    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;
    float both = tex2D<float>(image, x + 1.0f, y + 0.5f);
    if (threadIdx.x == BLOCK - 1 || row == 0) return;
    out[y * row + x] = both;
}

int main() {
    static float host[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
    float *image, *other;
    int wrong = 0;
    size_t pitch;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) host[y][x] = x;
    CHECK(cudaMallocPitch(&image, &pitch, sizeof host[0], HEIGHT));
    CHECK(cudaMallocPitch(&other, &pitch, sizeof host[0], HEIGHT));
    CHECK(cudaMemcpy2D(image, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(other, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = image;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    float *out = other;
    smooth<<<dim3(WIDTH / BLOCK, HEIGHT), BLOCK>>>(texture, out, int(pitch / sizeof(float)));
    CHECK(cudaMemcpy2D(got, sizeof got[0], out, pitch, sizeof got[0], HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) wrong += x % BLOCK != BLOCK - 1 && got[y][x] < x;
    CHECK(cudaFree(other));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
