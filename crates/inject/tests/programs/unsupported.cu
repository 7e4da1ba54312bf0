// Arrays and textures are refused by name.
#include "check.h"

int main() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    EXPECT(format.x == 32 && format.f == cudaChannelFormatKindFloat);
    FAILS(cudaMallocArray(&array, &format, 64, 64), cudaErrorNotSupported);
    FAILS(cudaGetLastError(), cudaErrorNotSupported);
    std::puts("ok");
}
