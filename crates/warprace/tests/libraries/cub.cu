// What CUB does with PTX for an older architecture than the device's: it chooses its kernels by
// `cudaFuncGetAttributes().ptxVersion`, and launches some as dependent that cannot wait for their predecessor.
#include <cstdio>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_scan.cuh>

struct Descending {
    __device__ bool operator()(int a, int b) const { return a > b; }
};

__global__ void fill(int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = i * 7919 % n;
}

__global__ void nothing() {}

int main() {
    const int n = 10007;
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, nothing);
    printf("ptx %d\n", attributes.ptxVersion);
    int *keys, *sums, *host = new int[n];
    cudaMalloc(&keys, n * sizeof *keys);
    cudaMalloc(&sums, n * sizeof *sums);
    fill<<<(n + 255) / 256, 256>>>(keys, n);
    void *storage = nullptr;
    size_t for_sort = 0, for_scan = 0;
    cub::DeviceMergeSort::SortKeys(storage, for_sort, keys, n, Descending());
    cub::DeviceScan::InclusiveSum(storage, for_scan, keys, sums, n);
    cudaMalloc(&storage, for_sort + for_scan);
    printf("%s\n", cudaGetErrorName(cub::DeviceMergeSort::SortKeys(storage, for_sort, keys, n, Descending())));
    printf("%s\n", cudaGetErrorName(cub::DeviceScan::InclusiveSum(storage, for_scan, keys, sums, n)));
    bool right = true;
    cudaMemcpy(host, keys, n * sizeof *keys, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) right &= host[i] == n - 1 - i;
    cudaMemcpy(host, sums, n * sizeof *sums, cudaMemcpyDeviceToHost);
    for (int i = 0, sum = 0; i < n; i++) right &= host[i] == (sum += n - 1 - i);
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
