// Kernels that driver_images.c loads as PTX.

extern "C" __global__ void sample(cudaTextureObject_t image, float *out) {
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f);
}

extern "C" __global__ void texels(cudaTextureObject_t image, int *out) {
    out[threadIdx.x] = tex1Dfetch<int>(image, threadIdx.x);
}

extern "C" __global__ void negate(cudaSurfaceObject_t image) {
    int x = threadIdx.x % 8 * 4, y = threadIdx.x / 8;
    surf2Dwrite(-surf2Dread<int>(image, x, y), image, x, y);
}
