// A product of matrices by cuBLAS in one stream, between kernels of the program in another.
//
//     cublas before   the product does not wait for the kernel that makes its first factor
//     cublas after    the kernel that reads the product does not wait for it
//     cublas copy     the copy of the product to the host does not wait for it
//     cublas shared   a kernel reads the first factor beside the product
//     cublas clean    each waits for the work before it
#include <cstdio>
#include <cstring>
#include <cublas_v2.h>

__global__ void fill(float *to, int n, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = value; // LINE(fill)
}

__global__ void next(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + 1; // LINE(next)
}

int main(int, char **argv) {
    const char *mode = argv[1];
    auto is = [&](const char *other) { return !strcmp(mode, other); };
    const int n = 256, all = n * n, threads = 256;
    const float one = 1, zero = 0;
    float *a, *b, *c, *out, *host;
    cudaMalloc(&a, all * sizeof(float));
    cudaMalloc(&b, all * sizeof(float));
    cudaMalloc(&c, all * sizeof(float));
    cudaMalloc(&out, all * sizeof(float));
    cudaMallocHost(&host, all * sizeof(float));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t made, used;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&used, cudaEventDisableTiming);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
    cublasSetStream(handle, second);
    fill<<<all / threads, threads>>>(b, all, 1);
    fill<<<all / threads, threads>>>(c, all, 0);
    cudaDeviceSynchronize();
    for (int round = 1; round <= 3; round++) {
        fill<<<all / threads, threads, 0, first>>>(a, all, round);
        if (!is("before")) {
            cudaEventRecord(made, first);
            cudaStreamWaitEvent(second, made, 0);
        }
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n); // LINE(product)
        if (!is("after") && !is("copy") && !is("shared")) {
            cudaEventRecord(used, second);
            cudaStreamWaitEvent(first, used, 0);
        }
        if (is("copy"))
            cudaMemcpyAsync(host, c, all * sizeof(float), cudaMemcpyDeviceToHost, first); // LINE(copy)
        else
            next<<<all / threads, threads, 0, first>>>(is("shared") ? a : c, out, all);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(host, c, all * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %s\n", host[all - 1], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
