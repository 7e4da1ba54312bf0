// Stands in for the CUDA driver where there is none: says what it was asked for, and runs nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int seen, begun;

int cuInit(unsigned flags) { return 0; }
int cuCtxGetDevice(int *device) { return 201; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; return 0; }
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) {
    printf("driver: registered %p\n", at);
    return 0;
}
int cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags) { *device = host; return 0; }
int cuMemAlloc_v2(unsigned long long *at, size_t bytes) {
    static unsigned long long next = 0x7000000000;
    *at = next;
    next += bytes + 4095 & ~4095ull;
    return 0;
}
// Memory is full of sevens.
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) { memset(to, 7, bytes); return 0; }
// Arrays, too, which have 16 words.
int cuMemcpy3D_v2(const void *how) {
    memset(*(void **)((char *)how + 88 + 40), 7, 64);
    return 0;
}
int cuArray3DGetDescriptor_v2(void *described, void *array) {
    unsigned long long extents[] = {16, 0, 0};
    unsigned rest[] = {3, 1, 0};
    memcpy(described, extents, sizeof extents);
    memcpy((char *)described + sizeof extents, rest, sizeof rest);
    return 0;
}
int cuTexObjectCreate(unsigned long long *made, const void *resource, const void *sampling, const void *view) {
    *made = 1;
    return 0;
}
int cuStreamIsCapturing(void *stream, int *status) { *status = 0; return 0; }
int cuEventCreate(void **event, unsigned flags) { return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuEventQuery(void *event) { return 0; }
int cuEventDestroy_v2(void *event) { return 0; }
// There is a context from the first module on.
int cuCtxGetCurrent(void **context) { *context = begun ? &begun : 0; return begun ? 0 : 201; }
static size_t stack = 1024;
int cuCtxGetLimit(size_t *value, int which) { *value = stack; return 0; }
int cuCtxSetLimit(int which, size_t value) {
    if (value > 1 << 18) return 1;
    printf("driver: a stack of %zu\n", value);
    stack = value;
    return 0;
}
int cuModuleLoadData(void **module, const void *image) {
    const char *text = image;
    if (strstr(text, "refuse with checks") && strstr(text, "__warprace_")) return 218;
    printf("driver: module %s checks\n", strstr(text, "__warprace_") ? "with" : "without");
    *module = &seen;
    begun = 1;
    return 0;
}
static int of_library;
int cuLibraryLoadData(void **library, const void *image, void *names, void *values, unsigned options, void *more,
                      void *others, unsigned number) {
    int kernels = 0;
    for (const char *at = image; (at = strstr(at, ".entry")); at++) kernels++;
    if (strstr(image, "refuse with checks")) return 218;
    printf("driver: library %s checks, %d kernels\n", strstr(image, "__warprace_") ? "with" : "without", kernels);
    *library = &of_library;
    return 0;
}
int cuLibraryGetKernel(void **kernel, void *library, const char *name) { *kernel = &of_library; return 0; }
int cuKernelGetFunction(void **function, void *kernel) { *function = kernel; return 0; }
int cuFuncGetAttribute(int *value, int which, void *f) {
    printf("driver: attribute of the %s kernel\n", f == &of_library ? "library's" : "module's");
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) { *function = &seen; return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    printf("driver: launch of %u blocks%s\n", gx, f == &of_library ? " of a library" : "");
    return 0;
}
int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", symbol, strncmp(symbol, "cuMem", 5) ? "" : "_v2");
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    *function = dlsym(self, name);
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
