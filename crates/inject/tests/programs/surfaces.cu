// Surfaces of every geometry and boundary mode, beside textures and copies of the same arrays.
#include "check.h"

const int W = 16, H = 4, D = 3;

__global__ void fill1(cudaSurfaceObject_t s) { surf1Dwrite(float(threadIdx.x), s, threadIdx.x * 4); }

__global__ void fill2(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * 4, y);
}

__global__ void fill3(cudaSurfaceObject_t s) {
    surf3Dwrite(short(100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x), s, threadIdx.x * 2, threadIdx.y, threadIdx.z);
}

__global__ void fillLayers(cudaSurfaceObject_t s) {
    surf2DLayeredwrite(make_float2(threadIdx.z, threadIdx.x), s, threadIdx.x * 8, threadIdx.y, threadIdx.z);
}

__global__ void fillCube(cudaSurfaceObject_t s) {
    surfCubemapwrite(int(threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x), s, threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

__global__ void check2(cudaSurfaceObject_t s, cudaTextureObject_t t, int *wrong) {
    int x = threadIdx.x, y = threadIdx.y;
    uchar4 v = surf2Dread<uchar4>(s, x * 4, y);
    uchar4 u = tex2D<uchar4>(t, x, y);
    if (v.x != x || v.y != y || v.z != x + y || v.w != 255 || u.x != v.x || u.y != v.y || u.z != v.z || u.w != v.w)
        atomicAdd(wrong, 1);
    // A part of an element, and two at once.
    unsigned char part = surf2Dread<unsigned char>(s, x * 4 + 2, y);
    if (part != x + y || (x < W - 1 && x % 2 == 0 && surf2Dread<uint2>(s, x * 4, y).y != ((x + 1) | y << 8 | (x + 1 + y) << 16 | 255u << 24)))
        atomicAdd(wrong, 1);
}

__global__ void boundaries(cudaSurfaceObject_t s, float *out) {
    out[0] = surf1Dread<float>(s, -8, cudaBoundaryModeZero);
    out[1] = surf1Dread<float>(s, W * 4, cudaBoundaryModeZero);
    out[2] = surf1Dread<float>(s, -8, cudaBoundaryModeClamp);
    out[3] = surf1Dread<float>(s, W * 4 + 40, cudaBoundaryModeClamp);
    surf1Dwrite(77.0f, s, W * 4, cudaBoundaryModeZero);
    surf1Dwrite(55.0f, s, W * 4 + 4, cudaBoundaryModeClamp);
}

__global__ void query(cudaSurfaceObject_t s, unsigned *out) {
    asm("suq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(s));
    asm("suq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(s));
}

__global__ void reduce(cudaSurfaceObject_t s) {
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(threadIdx.x));
    asm volatile("sured.b.max.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(threadIdx.x));
}

__global__ void outside(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, W * 4); }

static cudaArray_t array(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags) {
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
    return array;
}

static cudaSurfaceObject_t surface(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &resource));
    cudaResourceDesc same{};
    OK(cudaGetSurfaceObjectResourceDesc(&same, s));
    EXPECT(same.resType == cudaResourceTypeArray && same.res.array.array == array);
    return s;
}

template <typename T> static void fetch(T *to, cudaArray_t from, cudaExtent extent) {
    cudaMemcpy3DParms copy{};
    copy.srcArray = from;
    copy.dstPtr = make_cudaPitchedPtr(to, extent.width * sizeof(T), extent.width, extent.height ? extent.height : 1);
    copy.extent = make_cudaExtent(extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
}

int main() {
    int *wrong;
    float *out;
    OK(cudaMallocManaged(&wrong, sizeof *wrong));
    OK(cudaMallocManaged(&out, 64));

    cudaArray_t line = array(cudaCreateChannelDesc<float>(), make_cudaExtent(W, 0, 0), 0);
    cudaSurfaceObject_t s = surface(line);
    fill1<<<1, W>>>(s);
    boundaries<<<1, 1>>>(s, out);
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 0 && out[1] == 0 && out[2] == 0 && out[3] == W - 1);
    float floats[W];
    fetch(floats, line, make_cudaExtent(W, 0, 0));
    for (int x = 0; x < W - 1; x++)
        EXPECT(floats[x] == x);
    EXPECT(floats[W - 1] == 55);

    cudaArray_t image = array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(W, H, 0), 0);
    s = surface(image);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    fill2<<<1, dim3(W, H)>>>(s);
    check2<<<1, dim3(W, H)>>>(s, t, wrong);
    OK(cudaDeviceSynchronize());
    EXPECT(*wrong == 0);
    unsigned *size = reinterpret_cast<unsigned *>(out);
    query<<<1, 1>>>(s, size);
    OK(cudaDeviceSynchronize());
    EXPECT(size[0] == W && size[1] == H && size[2] == 0);

    cudaArray_t volume = array(cudaCreateChannelDesc<short>(), make_cudaExtent(W, H, D), 0);
    fill3<<<1, dim3(W, H, D)>>>(surface(volume));
    short shorts[D][H][W];
    fetch(&shorts[0][0][0], volume, make_cudaExtent(W, H, D));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                EXPECT(shorts[z][y][x] == 100 * z + 10 * y + x);

    cudaArray_t layers = array(cudaCreateChannelDesc<float2>(), make_cudaExtent(W, H, D), cudaArrayLayered);
    fillLayers<<<1, dim3(W, H, D)>>>(surface(layers));
    float2 pairs[D][H][W];
    fetch(&pairs[0][0][0], layers, make_cudaExtent(W, H, D));
    EXPECT(pairs[2][3][5].x == 2 && pairs[2][3][5].y == 5 && pairs[0][0][15].y == 15);

    cudaArray_t cube = array(cudaCreateChannelDesc<int>(), make_cudaExtent(8, 8, 6), cudaArrayCubemap);
    fillCube<<<1, dim3(8, 8, 6)>>>(surface(cube));
    int faces[6][8][8];
    fetch(&faces[0][0][0], cube, make_cudaExtent(8, 8, 6));
    EXPECT(faces[5][3][2] == 532 && faces[0][0][7] == 7);

    cudaArray_t counts = array(cudaCreateChannelDesc<unsigned>(), make_cudaExtent(W, 0, 0), 0);
    unsigned zero[W] = {};
    OK(cudaMemcpy2DToArray(counts, 0, 0, zero, sizeof zero, sizeof zero, 1, cudaMemcpyHostToDevice));
    reduce<<<1, 64>>>(surface(counts));
    unsigned sums[W];
    fetch(sums, counts, make_cudaExtent(W, 0, 0));
    EXPECT(sums[0] == 64 * 63 / 2 && sums[1] == 63 && sums[2] == 0);

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = out;
    FAILS(cudaCreateSurfaceObject(&s, &resource), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaGetLastError(), cudaErrorInvalidChannelDescriptor);
    s = surface(line);
    OK(cudaDestroySurfaceObject(s));

    // The last: it loses the context.
    outside<<<1, 1>>>(surface(line));
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    puts("ok");
}
