//@ lens-ptx: race
//@ class: inter-block
// Every block moves its row of an image one up, through a surface.
// The image is read and written in place: a block may overwrite what another has yet to read.
#include "../support/check.h"

constexpr int WIDTH = 32, HEIGHT = 4;
constexpr size_t PITCH = WIDTH * sizeof(int);

__global__ void up(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x * int(sizeof(int)), y = blockIdx.x;
    int value = surf2Dread<int>(from, x, (y + 1) % HEIGHT); //~ RACE(1)
    surf2Dwrite(value, to, x, y); //~ RACE(1)
}

cudaSurfaceObject_t image(const int *host, cudaArray_t *array) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(*array, 0, 0, host, PITCH, PITCH, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

int main() {
    static int host[HEIGHT][WIDTH], got[HEIGHT][WIDTH];
    int wrong = 0;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) host[y][x] = 100 * y + x;
    cudaArray_t a, b;
    cudaSurfaceObject_t first = image(host[0], &a), second = image(host[0], &b);
    up<<<HEIGHT, WIDTH>>>(first, first);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy2DFromArray(got, PITCH, a, 0, 0, PITCH, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) wrong += got[y][x] != host[(y + 1) % HEIGHT][x];
    CHECK(cudaDestroySurfaceObject(second));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
