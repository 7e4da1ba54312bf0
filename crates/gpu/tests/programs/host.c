// A program whose host shares pinned memory with a kernel: the first argument is the kernel's text, the second what the host does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int (*Get)(const char *, void **, int, unsigned long long, int *);
static Get get;
static volatile unsigned *shared;
static volatile int over;

static void *f(const char *name) {
    void *found = 0;
    if (get(name, &found, 13000, 0, 0)) printf("app: no %s\n", name);
    return found;
}

static void *helps(void *_) {
    while (!over) usleep(100);
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, 0, _IONBF, 0);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module, *function, *stream, *host;
    get = (Get)dlsym(driver, "cuGetProcAddress_v2");
    ((int (*)(unsigned))f("cuInit"))(0);
    int (*sync)(void *) = f("cuStreamSynchronize");
    ((int (*)(void **, const void *))f("cuModuleLoadData"))(&module, argv[1]);
    ((int (*)(void **, void *, const char *))f("cuModuleGetFunction"))(&function, module, "k");
    unsigned long long at;
    ((int (*)(unsigned long long *, size_t))f("cuMemAlloc"))(&at, 4096);
    ((int (*)(void **, size_t))f("cuMemAllocHost"))(&host, 4096);
    shared = host;
    const char *what = argv[2];
    int (*copy)(void *, unsigned long long, size_t, void *) = f("cuMemcpyDtoHAsync");
    if (!strcmp(what, "copies")) copy(host, at, 64, 0);
    ((int (*)(void **, unsigned))f("cuStreamCreate"))(&stream, 1);
    if (!strcmp(what, "copies")) {
        copy(host, at + 100, 64, stream);
        copy(host, at + 4000, 200, stream);
        return 0;
    }
    pthread_t thread;
    if (!strcmp(what, "helped")) pthread_create(&thread, 0, helps, 0);
    void *arguments[] = {&host};
    ((int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))f(
        "cuLaunchKernel"))(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, 0);
    if (!strcmp(what, "beside")) copy(host, at, 64, stream);
    usleep(2000);
    if (!strcmp(what, "waits")) sync(stream);
    if (!strcmp(what, "writes")) {
        shared[0] = 7;
    } else if (!strcmp(what, "apart")) {
        printf("app: %u\n", shared[1]);
    } else {
        printf("app: %s\n", shared[0] ? "runs" : "waits");
    }
    over = 1;
    sync(stream);
    return 3;
}
