// Stands in for the CUDA driver: says whether the kernels that are launched have checks, and which groups of them they leave
// out, and runs nothing. Memory from
// DEVICE on is the device's, from SHARED on the host's, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The launch parameter has LAUNCH bytes, and the groups that are left out at its end.
enum { LAUNCH = 72, BYTES = 4096, SHARED = 0x60000000, DEVICE = 0x70000000 };
static int context, streams[8], made, events[8], recorded, is_captured;
// Modules, which are their own kernels. A module takes the place of one that was unloaded.
static struct module { int is_loaded, is_original, parameters, is_told; } modules[8];

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuCtxGetCurrent(void **current) { *current = &context; return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; return 0; }
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) { return 0; }
int cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags) { *device = host; return 0; }
int cuMemAlloc_v2(unsigned long long *at, size_t bytes) {
    static unsigned long long next = DEVICE;
    *at = next, next += BYTES;
    return 0;
}
// The table of engine `guard`, which nothing reads.
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = 1ull << 36; return 0; }
int cuMemGetAllocationGranularity(size_t *bytes, const void *how, int which) { *bytes = 1 << 21; return 0; }
int cuMemCreate(unsigned long long *made, size_t bytes, const void *how, unsigned long long flags) { *made = 1; return 0; }
int cuMemAddressReserve(unsigned long long *at, size_t bytes, size_t align, unsigned long long hint, unsigned long long flags) {
    *at = hint ? hint : 1ull << 40;
    return 0;
}
int cuMemMap(unsigned long long at, size_t bytes, size_t from, unsigned long long made, unsigned long long flags) { return 0; }
int cuMemUnmap(unsigned long long at, size_t bytes) { return 0; }
int cuMemRelease(unsigned long long made) { return 0; }
int cuMemAddressFree(unsigned long long at, size_t bytes) { return 0; }
int cuMemSetAccess(unsigned long long at, size_t bytes, const void *how, size_t number) { return 0; }
int cuMemsetD8Async(unsigned long long at, unsigned char with, size_t bytes, void *stream) { return 0; }
int cuMemsetD32Async(unsigned long long at, unsigned with, size_t words, void *stream) { return 0; }
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *stream) { return 0; }
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) { memset(to, 0, bytes); return 0; }
int cuStreamSynchronize(void *stream) { return 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuMemAllocManaged(unsigned long long *at, size_t bytes, unsigned flags) { *at = SHARED; return 0; }
int cuPointerGetAttribute(unsigned long long *value, int which, unsigned long long at) {
    int device = at >= DEVICE && at < DEVICE + 4 * BYTES;
    if (!device && !(at >= SHARED && at < SHARED + BYTES)) return 1;
    switch (which) {
    case 2: *(unsigned *)value = 2; return 0;
    case 3: *value = at; return 0;
    case 8: *(unsigned *)value = !device; return 0;
    case 11: *value = at & -BYTES; return 0;
    case 12: *value = BYTES; return 0;
    }
    return 1;
}
// Memory that it does not know has zeros.
int cuPointerGetAttributes(unsigned n, int *which, unsigned long long **values, unsigned long long at) {
    for (unsigned i = 0; i < n; i++)
        if (cuPointerGetAttribute(values[i], which[i], at)) *values[i] = 0;
    return 0;
}
int cuModuleLoadData(void **loaded, const void *image) {
    struct module *at = modules;
    while (at->is_loaded) at++;
    *at = (struct module){1, !strstr(image, "__warprace_"), strstr(image, ".param .u32 n") ? 2 : 1, !!strstr(image, "__warprace_launch")};
    *loaded = at;
    return 0;
}
int cuModuleUnload(struct module *module) { module->is_loaded = 0; return 0; }
int cuLibraryLoadData(void **library, const void *image, void *a, void *b, unsigned c, void *d, void *e, unsigned g) {
    return cuModuleLoadData(library, image);
}
int cuKernelGetFunction(void **function, void *kernel) { *function = kernel; return 0; }
int cuLibraryGetKernel(void **kernel, void *library, const char *name) { *kernel = library; return 0; }
int cuModuleGetFunction(void **function, void *of, const char *name) { *function = of; return 0; }
int cuFuncGetParamInfo(struct module *function, size_t which, size_t *at, size_t *bytes) {
    *at = 8 * which, *bytes = which == (size_t)function->parameters ? LAUNCH : which ? 4 : 8;
    return which >= (size_t)(function->parameters + function->is_told);
}
int cuFuncGetModule(void **module, void *function) { *module = function; return 0; }
int cuModuleGetGlobal_v2(unsigned long long *at, size_t *bytes, void *module, const char *name) {
    *at = (unsigned long long)module, *bytes = 8;
    return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *stream) {
    int forth = ((struct module *)to)->is_original && !((struct module *)from)->is_original;
    printf("%s of %zu bytes\n", forth ? "copy" : "copy elsewhere", bytes);
    return 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
    streams[made] = flags;
    *stream = &streams[made++];
    return 0;
}
int cuEventCreate(void **event, unsigned flags) { *event = &events[recorded++]; return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuStreamGetFlags(void *stream, unsigned *flags) { *flags = stream ? *(int *)stream : 0; return 0; }
int cuStreamBeginCapture_v2(void *stream, int mode) { is_captured = 1; return 0; }
int cuStreamIsCapturing(void *stream, int *status) { *status = is_captured; return 0; }
static int say(const char *what, struct module *f, void **parameters) {
    unsigned long long without = 0;
    if (f < modules || f >= modules + 8) return 0;
    printf("%s", what);
    if (f->is_told) memcpy(&without, (char *)parameters[f->parameters] + LAUNCH - 8, 8);
    printf("%s%s", f->is_original ? "original" : "checks", f->parameters == 1 ? " of one" : "");
    if (without) printf(" without %llx", without);
    printf("\n");
    return 0;
}
int cuLaunchKernel(struct module *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    return say("", f, parameters);
}
struct node { struct module *function; unsigned grid[3], block[3], shared; void **parameters, **extra, *kernel, *context; };
int cuGraphCreate(void **graph, unsigned flags) { *graph = &context; return 0; }
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *after, size_t number, const struct node *how) {
    *node = &context;
    return say("node: ", how->function, how->parameters);
}
int cuGraphExecKernelNodeSetParams_v2(void *made, void *node, const struct node *how) {
    return say("changed: ", how->function, how->parameters);
}
int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status) {
    char name[64];
    const char *second[] = {"cuMemAlloc", "cuMemHostRegister", "cuMemHostGetDevicePointer", "cuStreamBeginCapture",
                            "cuGraphAddKernelNode", "cuGraphExecKernelNodeSetParams"};
    snprintf(name, sizeof name, "%s", symbol);
    for (int i = 0; i < 6; i++)
        if (!strcmp(symbol, second[i])) snprintf(name, sizeof name, "%s_v2", symbol);
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    *function = dlsym(self, name);
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
