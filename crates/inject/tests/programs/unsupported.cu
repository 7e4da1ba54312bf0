// Mipmapped arrays are refused by name.
#include "check.h"

int main() {
    cudaMipmappedArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    EXPECT(format.x == 32 && format.f == cudaChannelFormatKindFloat);
    FAILS(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(64, 64, 0), 2), cudaErrorNotSupported);
    FAILS(cudaGetLastError(), cudaErrorNotSupported);
    std::puts("ok");
}
