// Kernels that read textures and write surfaces, in pairs. Whether they race does not depend on the texels.

extern "C" __global__ void rows_race(unsigned *out, unsigned pitch, int w, cudaTextureObject_t image) {
    for (int x = threadIdx.x; x < w; x += blockDim.x)
        out[blockIdx.x * pitch + x] = tex2D<unsigned>(image, x, blockIdx.x);
}

extern "C" __global__ void rows_clean(unsigned *out, unsigned pitch, int w, cudaTextureObject_t image) {
    for (int x = threadIdx.x; x < w && x < pitch; x += blockDim.x)
        out[blockIdx.x * pitch + x] = tex2D<unsigned>(image, x, blockIdx.x);
}

// Rows of a window slide through shared memory.
extern "C" __global__ void window_race(float *out, int n, cudaTextureObject_t image) {
    __shared__ float row[64];
    if (threadIdx.x < 64) {
        row[threadIdx.x] = tex2D<float>(image, threadIdx.x, blockIdx.x);
        out[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x] * n;
    }
}

extern "C" __global__ void window_clean(float *out, int n, cudaTextureObject_t image) {
    __shared__ float row[64];
    if (threadIdx.x < 64)
        row[threadIdx.x] = tex2D<float>(image, threadIdx.x, blockIdx.x);
    __syncthreads();
    if (threadIdx.x < 64)
        out[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x] * n;
}

// Surfaces are not modelled: no launch of the clean one may show a race.
extern "C" __global__ void painted_race(cudaSurfaceObject_t image) {
    surf2Dwrite(threadIdx.x, image, 4 * (threadIdx.x / 2), blockIdx.x);
}

extern "C" __global__ void painted_open(cudaSurfaceObject_t image) {
    surf2Dwrite(threadIdx.x, image, 4 * threadIdx.x, blockIdx.x);
}
