// Uses the driver as the CUDA runtime does: by `dlopen`, `dlsym` and `cuGetProcAddress`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*Get)(const char *, void **, int, unsigned long long, int *);
static Get get;

int nvrtcGetCUBIN(char *program, char *cubin);

// A file's content, or what NVRTC makes of PTX: as a program that is linked to it, or finds it by name.
static const char *image(char **argv) {
    static char bytes[1 << 20];
    if (argv[1][0] == '@') {
        FILE *file = fopen(argv[1] + 1, "rb");
        fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        return bytes;
    }
    if (argv[2] && !strcmp(argv[2], "brought")) return dlsym(dlopen("libcublasLt.so.13", RTLD_NOW), "machine_code");
    if (argv[2] && !strcmp(argv[2], "linked")) {
        printf("app: compiled %d\n", nvrtcGetCUBIN(argv[1], bytes));
        return bytes;
    }
    if (argv[2] && !strcmp(argv[2], "found")) {
        void *library = dlopen("libnvrtc.so.13", RTLD_NOW);
        int (*compile)(char *, char *) = (int (*)(char *, char *))dlsym(library, "nvrtcGetCUBIN");
        printf("app: compiled %d\n", compile(argv[1], bytes));
        return bytes;
    }
    return argv[1];
}

static void *f(const char *name) {
    void *found = 0;
    int code = get(name, &found, 13000, 0, 0);
    if (code) printf("app: no %s\n", name);
    return found;
}

int main(int argc, char **argv) {
    setvbuf(stdout, 0, _IONBF, 0);
    // What is next to this program is not what is next to a library before it.
    printf("app: next %s\n", dlsym(RTLD_NEXT, "getpid") ? "found" : "lost");
    printf("app: default %s\n", dlsym(RTLD_DEFAULT, "cuInit") ? "found" : "none");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        printf("app: no driver\n");
        return 4;
    }
    get = (Get)dlsym(driver, "cuGetProcAddress_v2");
    ((int (*)(unsigned))f("cuInit"))(0);
    void *module, *function;
    unsigned long long at;
    ((int (*)(unsigned long long *, size_t))f("cuMemAlloc"))(&at, 4096);
    // More than is saved, of which the kernel hears nothing.
    unsigned long long other;
    if (argc > 2 && !strcmp(argv[2], "large")) ((int (*)(unsigned long long *, size_t))f("cuMemAlloc"))(&other, 1 << 30);
    int code = ((int (*)(void **, const void *))f("cuModuleLoadData"))(&module, image(argv));
    printf("app: load %d\n", code);
    ((int (*)(void **, void *, const char *))f("cuModuleGetFunction"))(&function, module, "k");
    if (argc > 2 && !strcmp(argv[2], "stack")) {
        size_t has = 0, sets[] = {2048, 1 << 30, 200000};
        int (*limit)(size_t *, int) = (int (*)(size_t *, int))f("cuCtxGetLimit");
        int (*set)(int, size_t) = (int (*)(int, size_t))f("cuCtxSetLimit");
        for (int i = 0; i < 4; i++) {
            int code = i ? set(0, sets[i - 1]) : 0;
            limit(&has, 0);
            printf("app: %d, a stack of %zu\n", code, has);
        }
    }
    // The kernel is given a texture of an array.
    if (argc > 2 && !strcmp(argv[2], "texture")) {
        unsigned long long resource[18] = {0, 0x5000};
        unsigned sampling[26] = {1, 1, 1, 0, 1};
        ((int (*)(unsigned long long *, void *, void *, void *))f("cuTexObjectCreate"))(&at, resource, sampling, 0);
    }
    void *arguments[] = {&at};
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) =
        (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))f(
            "cuLaunchKernel");
    launch(function, 7, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
    if (argc > 2 && !strcmp(argv[2], "again")) {
        int value;
        ((int (*)(int *, int, void *))f("cuFuncGetAttribute"))(&value, 0, function);
        launch(function, 7, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
    }
    if (argc > 2 && !strcmp(argv[2], "kill")) {
        // A launch is told of beside the program, which does not wait for it: that takes a moment.
        sleep(1);
        raise(9);
    }
    if (argc > 2 && !strcmp(argv[2], "_exit")) _exit(3);
    return 3;
}
