/* A kernel that NVRTC compiles and the driver launches. It reads what other threads put into shared memory too early.
 *
 *     gcc -g examples/frameworks/nvrtc_reverse.c -o reverse -lnvrtc -lcuda
 *     warprace run -- ./reverse [--fixed] [--cubin]
 */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };

static const char *source =
    "extern \"C\" __global__ void reverse(const int *in, int *out)\n"
    "{\n"
    "    __shared__ int tile[64];\n"
    "    tile[threadIdx.x] = in[threadIdx.x];\n"
    "#ifdef FIXED\n"
    "    __syncthreads();\n"
    "#endif\n"
    "    out[threadIdx.x] = tile[63 - threadIdx.x]; // others may not have written yet\n"
    "}\n";

static void driver(CUresult code)
{
    const char *name = "?";
    if (code == CUDA_SUCCESS) return;
    cuGetErrorName(code, &name);
    fprintf(stderr, "the driver answers %s\n", name);
    exit(1);
}

static void compiler(nvrtcResult code)
{
    if (code == NVRTC_SUCCESS) return;
    fprintf(stderr, "NVRTC answers %s\n", nvrtcGetErrorString(code));
    exit(1);
}

static char *compile(int fixed, int cubin)
{
    nvrtcProgram program;
    size_t bytes;
    const char *options[] = {cubin ? "-arch=sm_90" : "-arch=compute_90", "-DFIXED"};
    compiler(nvrtcCreateProgram(&program, source, "reverse.cu", 0, NULL, NULL));
    compiler(nvrtcCompileProgram(program, fixed ? 2 : 1, options));
    compiler(cubin ? nvrtcGetCUBINSize(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
    char *image = malloc(bytes);
    compiler(cubin ? nvrtcGetCUBIN(program, image) : nvrtcGetPTX(program, image));
    compiler(nvrtcDestroyProgram(&program));
    return image;
}

int main(int argc, char **argv)
{
    int fixed = 0, cubin = 0, wrong = 0, numbers[N];
    for (int i = 1; i < argc; i++) {
        fixed |= !strcmp(argv[i], "--fixed");
        cubin |= !strcmp(argv[i], "--cubin");
    }
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction reverse;
    CUdeviceptr in, out;
    driver(cuInit(0));
    driver(cuDeviceGet(&device, 0));
    driver(cuCtxCreate(&context, NULL, 0, device));
    driver(cuModuleLoadData(&module, compile(fixed, cubin)));
    driver(cuModuleGetFunction(&reverse, module, "reverse"));
    driver(cuMemAlloc(&in, sizeof numbers));
    driver(cuMemAlloc(&out, sizeof numbers));
    for (int i = 0; i < N; i++) numbers[i] = i;
    driver(cuMemcpyHtoD(in, numbers, sizeof numbers));
    void *arguments[] = {&in, &out};
    driver(cuLaunchKernel(reverse, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
    driver(cuMemcpyDtoH(numbers, out, sizeof numbers));
    for (int i = 0; i < N; i++) wrong += numbers[i] != N - 1 - i;
    printf("%d wrong\n", wrong);
    driver(cuCtxDestroy(context));
    return 0;
}
