// Memory in every shape: pitched, 3D, symbols, memsets, managed, mapped, registered, pools.
#include "check.h"

__device__ int table[8];
__constant__ float factors[4];
__managed__ int managed_value = 41;

__global__ void use(int *out) {
    if (threadIdx.x < 8) out[threadIdx.x] = table[threadIdx.x] * (int)factors[threadIdx.x & 3];
    if (threadIdx.x == 0) managed_value += 1;
}
__global__ void increment(int *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] += 1;
}

int main() {
    // Pitched rows.
    char *rows, host[5][7], back[5][7];
    size_t pitch;
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x) host[y][x] = 10 * y + x;
    OK(cudaMallocPitch(&rows, &pitch, 7, 5));
    EXPECT(pitch >= 7 && pitch % 256 == 0);
    OK(cudaMemcpy2D(rows, pitch, host, 7, 7, 5, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(rows + 2, pitch, 99, 3, 2));
    OK(cudaMemcpy2D(back, 7, rows, pitch, 7, 5, cudaMemcpyDeviceToHost));
    EXPECT(back[1][1] == 11 && back[1][2] == 99 && back[1][5] == 15 && back[2][2] == 22);
    FAILS(cudaMemcpy2D(back, 6, rows, pitch, 7, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    cudaGetLastError();
    // A box out of a box.
    int box[4][3][2], part[2][2][2] = {};
    for (int i = 0; i < 24; ++i) (&box[0][0][0])[i] = i;
    cudaPitchedPtr all;
    OK(cudaMalloc3D(&all, make_cudaExtent(2 * sizeof(int), 3, 4)));
    cudaMemcpy3DParms up = {};
    up.srcPtr = make_cudaPitchedPtr(box, 2 * sizeof(int), 2, 3);
    up.dstPtr = all;
    up.extent = make_cudaExtent(2 * sizeof(int), 3, 4);
    up.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&up));
    cudaMemcpy3DParms down = {};
    down.srcPtr = all;
    down.srcPos = make_cudaPos(0, 1, 2);
    down.dstPtr = make_cudaPitchedPtr(part, 2 * sizeof(int), 2, 2);
    down.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
    down.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&down));
    EXPECT(part[0][0][0] == box[2][1][0] && part[1][1][1] == box[3][2][1]);
    // Symbols.
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8], *out;
    float f[4] = {1, 2, 3, 4};
    void *address;
    size_t size;
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    OK(cudaMemcpyToSymbol(factors, f, sizeof f));
    OK(cudaGetSymbolSize(&size, table));
    OK(cudaGetSymbolAddress(&address, table));
    EXPECT(size == sizeof values);
    OK(cudaMalloc(&out, sizeof got));
    EXPECT(managed_value == 41);
    use<<<1, 32>>>(out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; ++i) EXPECT(got[i] == (i + 1) * (i % 4 + 1));
    EXPECT(managed_value == 42);
    OK(cudaMemcpyFromSymbol(got, table, 8, 16));
    EXPECT(got[0] == 5 && got[1] == 6);
    FAILS(cudaMemcpyFromSymbol(got, table, 32, 16), cudaErrorInvalidValue);
    cudaGetLastError();
    // Managed, mapped and registered memory.
    int *managed, *mapped, *device_view, *plain = (int *)std::malloc(128);
    OK(cudaMallocManaged(&managed, 128));
    OK(cudaHostAlloc(&mapped, 128, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&device_view, mapped, 0));
    OK(cudaHostRegister(plain, 128, 0));
    FAILS(cudaHostRegister(plain, 128, 0), cudaErrorHostMemoryAlreadyRegistered);
    cudaGetLastError();
    for (int i = 0; i < 32; ++i) managed[i] = mapped[i] = plain[i] = i;
    increment<<<1, 32>>>(managed, 32);
    increment<<<1, 32>>>(device_view, 32);
    increment<<<1, 32>>>(plain, 32);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) EXPECT(managed[i] == i + 1 && mapped[i] == i + 1 && plain[i] == i + 1);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, managed + 3));
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == managed + 3);
    OK(cudaPointerGetAttributes(&attributes, out));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.hostPointer == nullptr);
    OK(cudaPointerGetAttributes(&attributes, mapped));
    EXPECT(attributes.type == cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&attributes, &size));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    OK(cudaHostUnregister(plain));
    FAILS(cudaHostUnregister(plain), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    OK(cudaFreeHost(mapped));
    OK(cudaFree(managed));
    // Stream-ordered memory.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *pooled;
    OK(cudaMallocAsync(&pooled, 128, stream));
    OK(cudaMemsetAsync(pooled, 0, 128, stream));
    increment<<<1, 32, 0, stream>>>(pooled, 32);
    OK(cudaMemcpyAsync(got, pooled, sizeof got, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(pooled, stream));
    FAILS(cudaFreeAsync(pooled, stream), cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 8; ++i) EXPECT(got[i] == 1);
    size_t available, total;
    OK(cudaMemGetInfo(&available, &total));
    EXPECT(available < total);
    std::puts("ok");
}
