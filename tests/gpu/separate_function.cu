// A function that separate.cu calls.
__device__ int rotated(const int *scratch, int by) {
    return scratch[(threadIdx.x + by) & 255]; // LINE(read)
}
