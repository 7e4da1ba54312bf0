// Arrays, textures and surfaces of the driver's API: each function is called, and its results are checked. argv[1] is a file with PTX
// of driver_images.cu.
#include "driver.h"

enum { WIDE = 8, HIGH = 4, N = WIDE * HIGH };
static CUmodule module;
static CUstream stream;
static CUdeviceptr memory;

static CUfunction kernel(const char *name) {
    CUfunction found;
    OK(cuModuleGetFunction(&found, module, name));
    return found;
}

static void launch(const char *name, void **arguments) {
    OK(cuLaunchKernel(kernel(name), 1, 1, 1, N, 1, 1, 0, 0, arguments, 0));
    OK(cuCtxSynchronize());
}

static void rows_of_bytes(void) {
    CUDA_ARRAY_DESCRIPTOR given = {N, 0, CU_AD_FORMAT_UNSIGNED_INT8, 2}, got;
    CUarray a, b;
    unsigned char out[2 * N], back[2 * N];
    for (int i = 0; i < 2 * N; i++) out[i] = (unsigned char)(3 * i + 1);
    OK(cuArrayCreate_v2(&a, &given));
    OK(cuArrayCreate_v2(&b, &given));
    OK(cuArrayGetDescriptor_v2(&got, a));
    EXPECT(got.Width == N && got.Height == 0 && got.Format == CU_AD_FORMAT_UNSIGNED_INT8 && got.NumChannels == 2);
    OK(cuMemcpyHtoA_v2(a, 0, out, 2 * N));
    OK(cuMemcpyAtoA_v2(b, 8, a, 4, 16));
    OK(cuMemcpyAtoH_v2(back, b, 8, 16));
    EXPECT(!memcmp(back, out + 4, 16));
    OK(cuMemcpyAtoD_v2(memory, a, 2, 10));
    OK(cuMemcpyDtoA_v2(b, 0, memory, 10));
    OK(cuMemcpyAtoHAsync_v2(back, b, 0, 10, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(!memcmp(back, out + 2, 10));
    OK(cuMemcpyHtoAAsync_v2(b, 4, out, 12, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyAtoH_v2(back, b, 0, 16));
    EXPECT(!memcmp(back, out + 2, 4) && !memcmp(back + 4, out, 12));
    FAILS(cuMemcpyAtoA_v2(b, 2 * N - 4, a, 0, 8), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMemcpyHtoA_v2(a, 1, out, 2 * N), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    FAILS(cuMemcpyAtoH_v2(back, a, 0, 4), CUDA_ERROR_INVALID_HANDLE);
}

static CUtexObject texture(CUDA_RESOURCE_DESC *resource, unsigned flags) {
    CUDA_TEXTURE_DESC how = {0};
    CUtexObject made;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
    how.flags = flags;
    OK(cuTexObjectCreate(&made, resource, &how, 0));
    return made;
}

// Integers of 8 bits are read as numbers up to 1.
static void textures(void) {
    CUDA_ARRAY3D_DESCRIPTOR given = {WIDE, HIGH, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, got;
    CUDA_RESOURCE_DESC resource = {0};
    CUDA_MEMCPY2D p = {0};
    unsigned char bytes[N];
    float back[N];
    for (int i = 0; i < N; i++) bytes[i] = (unsigned char)(8 * i);
    OK(cuArray3DCreate_v2(&resource.res.array.hArray, &given));
    OK(cuArray3DGetDescriptor_v2(&got, resource.res.array.hArray));
    EXPECT(got.Width == WIDE && got.Height == HIGH && got.Depth == 0 && got.NumChannels == 1 && got.Flags == 0);
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = bytes, p.srcPitch = WIDE;
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY, p.dstArray = resource.res.array.hArray, p.WidthInBytes = WIDE, p.Height = HIGH;
    OK(cuMemcpy2D_v2(&p));
    CUtexObject image = texture(&resource, 0);
    launch("sample", (void *[]){&image, &memory});
    OK(cuMemcpyDtoH_v2(back, memory, sizeof back));
    for (int i = 0; i < N; i++) EXPECT(back[i] == (8 * i) / 255.0f);
    OK(cuTexObjectDestroy(image));
    OK(cuArrayDestroy(resource.res.array.hArray));
}

// Integers of 32 bits stay what they are.
static void linear_textures(void) {
    CUDA_RESOURCE_DESC resource = {0};
    CUdeviceptr from;
    int numbers[N], back[N];
    for (int i = 0; i < N; i++) numbers[i] = 1000 - i;
    OK(cuMemAlloc_v2(&from, sizeof numbers));
    OK(cuMemcpyHtoD_v2(from, numbers, sizeof numbers));
    resource.resType = CU_RESOURCE_TYPE_LINEAR, resource.res.linear.devPtr = from;
    resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32, resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = sizeof numbers;
    CUtexObject image = texture(&resource, 0);
    launch("texels", (void *[]){&image, &memory});
    OK(cuMemcpyDtoH_v2(back, memory, sizeof back));
    EXPECT(!memcmp(back, numbers, sizeof back));
    resource.res.linear.numChannels = 3;
    CUDA_TEXTURE_DESC how = {0};
    FAILS(cuTexObjectCreate(&image, &resource, &how, 0), CUDA_ERROR_INVALID_VALUE);
}

static void surfaces(void) {
    CUDA_ARRAY3D_DESCRIPTOR given = {WIDE, HIGH, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC resource = {0}, got;
    CUDA_MEMCPY2D p = {0};
    CUsurfObject image;
    int numbers[N], back[N];
    for (int i = 0; i < N; i++) numbers[i] = i;
    OK(cuArray3DCreate_v2(&resource.res.array.hArray, &given));
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = numbers, p.srcPitch = 4 * WIDE;
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY, p.dstArray = resource.res.array.hArray, p.WidthInBytes = 4 * WIDE, p.Height = HIGH;
    OK(cuMemcpy2D_v2(&p));
    OK(cuSurfObjectCreate(&image, &resource));
    OK(cuSurfObjectGetResourceDesc(&got, image));
    EXPECT(got.resType == CU_RESOURCE_TYPE_ARRAY && got.res.array.hArray == resource.res.array.hArray);
    launch("negate", (void *[]){&image});
    p.dstMemoryType = CU_MEMORYTYPE_HOST, p.dstHost = back, p.dstPitch = 4 * WIDE;
    p.srcMemoryType = CU_MEMORYTYPE_ARRAY, p.srcArray = resource.res.array.hArray;
    OK(cuMemcpy2D_v2(&p));
    for (int i = 0; i < N; i++) EXPECT(back[i] == -i);
    OK(cuSurfObjectDestroy(image));
    FAILS(cuSurfObjectGetResourceDesc(&got, image), CUDA_ERROR_INVALID_VALUE);
}

int main(int argc, char **argv) {
    CUcontext context;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT)); // ordered with copies on the device
    OK(cuMemAlloc_v2(&memory, 4 * N));
    OK(cuModuleLoad(&module, argv[argc - 1]));
    rows_of_bytes();
    textures();
    linear_textures();
    surfaces();
    puts("right");
}
