// Tiles of an array, summed again and again over shared memory: about six events for each warp and tile.
#include <cstdlib>

__global__ void smooth(const float *in, float *out, int tiles) {
    __shared__ float tile[256];
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        int i = t * 256 + threadIdx.x;
        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % 256];
        __syncthreads();
    }
}

// curve MEGABYTES LAUNCHES
int main(int argc, char **argv) {
    int tiles = atoi(argv[1]) * 512;
    float *in, *out;
    cudaMalloc(&in, tiles * 1024UL);
    cudaMalloc(&out, tiles * 1024UL);
    cudaMemset(in, 0, tiles * 1024UL);
    for (int launch = 0; launch < atoi(argv[2]); ++launch) {
        smooth<<<256, 256>>>(in, out, tiles);
        smooth<<<256, 256>>>(out, in, tiles);
        cudaDeviceSynchronize();
    }
    return cudaDeviceSynchronize();
}
