// Launches a kernel of a pointer and a number as its words say: `launch` in the legacy stream, `own` in the last stream that
// was made, `grown` with another number, `managed` with memory that the host accesses; `blocking` and `nonblocking` make
// a stream, `capture` has it captured, `event` records an event in it, `wait` waits for all;
// `node` adds it to a graph, and `changed` gives the node of an executable graph more threads. `other` unloads the module and loads the one whose text stands behind a form feed,
// `register` registers memory of the program's own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Get)(const char *, void **, int, unsigned long long, int *);
static Get get;

static void *f(const char *name) {
    void *found = 0;
    if (get(name, &found, 13000, 0, 0)) printf("no %s\n", name);
    return found;
}

static char own_memory[4096];

int main(int argc, char **argv) {
    setvbuf(stdout, 0, _IONBF, 0);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return 4;
    get = (Get)dlsym(driver, "cuGetProcAddress_v2");
    ((int (*)(unsigned))f("cuInit"))(0);
    void *module, *function, *stream = 0;
    char *other = strchr(argv[1], '\f');
    if (other) *other++ = 0;
    unsigned long long at, managed;
    ((int (*)(unsigned long long *, size_t))f("cuMemAlloc"))(&at, 4096);
    int (*load)(void **, const void *) = f("cuModuleLoadData");
    int (*kernel)(void **, void *, const char *) = f("cuModuleGetFunction");
    load(&module, argv[1]);
    kernel(&function, module, "k");
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) =
        f("cuLaunchKernel");
    int (*make)(void **, unsigned) = f("cuStreamCreate");
    for (int i = 2; i < argc; i++) {
        unsigned n = 224;
        void *arguments[] = {&at, &n};
        struct { void *function; unsigned grid[3], block[3], shared; void **parameters, **extra, *kernel, *context; } how =
            {function, {7, 1, 1}, {32, 1, 1}, 0, arguments};
        if (!strcmp(argv[i], "blocking")) make(&stream, 0);
        else if (!strcmp(argv[i], "node")) {
            void *graph, *node;
            ((int (*)(void **, unsigned))f("cuGraphCreate"))(&graph, 0);
            ((int (*)(void **, void *, void *, size_t, void *))f("cuGraphAddKernelNode"))(&node, graph, 0, 0, &how);
        } else if (!strcmp(argv[i], "changed")) {
            how.block[0] = 64;
            ((int (*)(void *, void *, void *))f("cuGraphExecKernelNodeSetParams"))(function, function, &how);
        }
        else if (!strcmp(argv[i], "nonblocking")) make(&stream, 1);
        else if (!strcmp(argv[i], "capture")) ((int (*)(void *, int))f("cuStreamBeginCapture"))(stream, 0);
        else if (!strcmp(argv[i], "event")) {
            void *event;
            ((int (*)(void **, unsigned))f("cuEventCreate"))(&event, 0);
            ((int (*)(void *, void *))f("cuEventRecord"))(event, stream);
        } else if (!strcmp(argv[i], "wait")) ((int (*)(void))f("cuCtxSynchronize"))();
        else if (!strcmp(argv[i], "register")) ((int (*)(void *, size_t, unsigned))f("cuMemHostRegister"))(own_memory, 4096, 0);
        else if (!strcmp(argv[i], "other")) {
            ((int (*)(void *))f("cuModuleUnload"))(module);
            load(&module, other);
            kernel(&function, module, "k");
        } else {
            if (!strcmp(argv[i], "grown")) n = 100000;
            if (!strcmp(argv[i], "managed")) {
                ((int (*)(unsigned long long *, size_t, unsigned))f("cuMemAllocManaged"))(&managed, 4096, 1);
                arguments[0] = &managed;
            }
            int own = !strcmp(argv[i], "own");
            launch(function, 7, 1, 1, 32, 1, 1, 0, own ? stream : 0, arguments, 0);
        }
    }
    return 0;
}
