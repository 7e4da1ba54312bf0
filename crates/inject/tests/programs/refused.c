/* Asks each function that it is given by name, with arguments that are all 0, and prints what it answers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Function)(void *, void *, void *, void *, void *, void *, void *, void *);

/* `cudaErrorNotSupported` and `CUDA_ERROR_NOT_SUPPORTED` */
static const int NOT_SUPPORTED = 801;

static Function find(const char *name) {
    return (Function)dlsym(RTLD_DEFAULT, name);
}

int main(int count, char **names) {
    /* Functions of the driver want a context. */
    void *device = 0, *context = 0;
    if (find("cuInit")(0, 0, 0, 0, 0, 0, 0, 0)) puts("cuInit fails");
    if (find("cuDevicePrimaryCtxRetain")(&context, device, 0, 0, 0, 0, 0, 0)) puts("there is no context");
    if (find("cuCtxSetCurrent")(context, 0, 0, 0, 0, 0, 0, 0)) puts("the context is not made current");
    for (int i = 1; i < count; ++i) {
        Function function = find(names[i]);
        if (!function) printf("%s is missing\n", names[i]);
        else if (function(0, 0, 0, 0, 0, 0, 0, 0) != NOT_SUPPORTED) printf("%s is served\n", names[i]);
    }
    puts("ok");
    return 0;
}
