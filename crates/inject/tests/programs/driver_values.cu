// Kernels that driver_values.c loads as PTX.

extern "C" __global__ void fill(int *data) { data[threadIdx.x] = 7; }

extern "C" __global__ void twice(const int *data, int *out) { out[threadIdx.x] = 2 * data[threadIdx.x]; }
