// The other source file of inter-block/separate-compilation.

__device__ __noinline__ int load_value(const int *from) { return 2 * *from; }
