// Stands in for the CUDA driver: what it launches goes on in a thread, as on a GPU, until somebody waits for it. The kernel `k` changes the first
// word that it is given, again and again; all other kernels are said, with what they were given.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static int context, module, kernel, other;
static char *pinned;
static int stream;
static volatile int stop;
static int runs;
static pthread_t thread;
enum { DEVICE = 0x70000000, BYTES = 4096 };

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuCtxGetCurrent(void **current) { *current = &context; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; return 0; }
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) { return 0; }
int cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags) { *device = host; return 0; }
int cuMemAlloc_v2(unsigned long long *at, size_t bytes) { *at = DEVICE; return 0; }
int cuMemAllocHost_v2(void **at, size_t bytes) {
    // A second view, for the thread: devices do not mind what the host's view may be used for.
    int file = memfd_create("pinned", 0);
    if (file < 0 || ftruncate(file, BYTES)) return 2;
    *at = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pinned = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return 0;
}
int cuPointerGetAttribute(unsigned long long *value, int which, unsigned long long at) {
    int device = at >= DEVICE && at < DEVICE + BYTES;
    if (!device) return 1;
    switch (which) {
    case 2: *(unsigned *)value = 2; return 0;
    case 3: *value = at; return 0;
    case 11: *value = DEVICE; return 0;
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
int cuModuleLoadData(void **loaded, const void *image) { *loaded = &module; return 0; }
int cuModuleGetFunction(void **function, void *of, const char *name) {
    *function = strcmp(name, "k") ? &other : &kernel;
    return 0;
}
int cuFuncGetParamInfo(void *function, size_t which, size_t *at, size_t *bytes) {
    *at = 0, *bytes = 8;
    return which ? 1 : 0;
}
int cuStreamCreate(void **made, unsigned flags) { *made = &stream; return 0; }
int cuStreamGetFlags(void *stream, unsigned *flags) { *flags = 1; return 0; }
int cuStreamIsCapturing(void *stream, int *status) { *status = 0; return 0; }
static void *run(void *word) {
    prctl(PR_SET_NAME, "cuda-EvtHandlr");
    while (!stop) ++*(volatile unsigned *)word;
    return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *in, void **parameters, void **extra) {
    if (f == &kernel) {
        stop = 0, runs = 1;
        pthread_create(&thread, 0, run, pinned);
    } else {
        unsigned long long *given = extra[1];
        // What a kernel that stands for a call writes where it sees a change, as this one would while the other runs: how often, whether that
        // is all, the address, what was there and what is.
        if (runs) {
            char *record = (char *)0x300000000000 + 256ull * *(unsigned *)(given + 2);
            memcpy(record + 8, given, 8);
            memcpy(record + 48, "\1", 2);
            memcpy(record + 64, "\200\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1", 22);
            memcpy(record, "\1\0\0\0\1", 5);
        }
        printf("driver: looked at %llu bytes from %#llx, stream %d\n", given[1], given[0], in == &stream);
    }
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) {
    printf("driver: copied %zu bytes\n", bytes);
    return 0;
}
int cuStreamSynchronize(void *stream) {
    if (runs) stop = 1, pthread_join(thread, 0), runs = 0;
    return 0;
}
int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status) {
    char name[64];
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    snprintf(name, sizeof name, "%s_v2", symbol);
    *function = dlsym(self, name);
    if (!*function) *function = dlsym(self, symbol);
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
