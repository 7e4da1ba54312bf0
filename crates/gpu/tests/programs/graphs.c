// A program with a graph: two kernels `step` that add 1 to a word, and `k` behind them. The first argument is the kernels' text, the second what else
// it does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Get)(const char *, void **, int, unsigned long long, int *);
static Get get;

typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel, *context;
} Params;

static void *f(const char *name) {
    void *found = 0;
    if (get(name, &found, 13000, 0, 0)) printf("app: no %s\n", name);
    return found;
}

static void *step, *k, *nodes[4];
static const char *what;

// What `k` is given is `far` bytes behind what is counted.
static void *graph(unsigned long long at, unsigned far) {
    int (*add)(void **, void *, void *const *, size_t, const Params *) = f("cuGraphAddKernelNode");
    void *out, *arguments[] = {&at};
    ((int (*)(void **, unsigned))f("cuGraphCreate"))(&out, 0);
    // Without an edge.
    size_t one = strcmp(what, "apart") != 0;
    Params params = {step, {1, 1, 1}, {1, 1, 1}, 0, arguments};
    add(&nodes[0], out, 0, 0, &params);
    add(&nodes[1], out, &nodes[0], one, &params);
    if (!strcmp(what, "mixed")) {
        ((int (*)(void **, void *, void *const *, size_t, const void *))f("cuGraphAddHostNode"))(&nodes[3], out, &nodes[1], 1, 0);
    } else {
        nodes[3] = nodes[1];
    }
    at += far;
    params.function = k, params.grid[0] = 7, params.block[0] = 32;
    add(&nodes[2], out, &nodes[3], one, &params);
    return out;
}

int main(int argc, char **argv) {
    setvbuf(stdout, 0, _IONBF, 0);
    what = argv[2];
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module, *made;
    get = (Get)dlsym(driver, "cuGetProcAddress_v2");
    ((int (*)(unsigned))f("cuInit"))(0);
    unsigned long long at;
    ((int (*)(unsigned long long *, size_t))f("cuMemAlloc"))(&at, 4096);
    ((int (*)(void **, const void *))f("cuModuleLoadData"))(&module, argv[1]);
    int (*function)(void **, void *, const char *) = f("cuModuleGetFunction");
    function(&step, module, "step");
    function(&k, module, "k");
    int (*launch)(void *, void *) = f("cuGraphLaunch");
    void *of = graph(at, 0);
    if (!strcmp(what, "idle")) return 3;
    ((int (*)(void **, void *, unsigned long long))f("cuGraphInstantiate"))(&made, of, 0);
    if (!strcmp(what, "changed")) {
        unsigned long long far = at + 64;
        void *arguments[] = {&far};
        Params params = {k, {7, 1, 1}, {32, 1, 1}, 0, arguments};
        ((int (*)(void *, void *, const Params *))f("cuGraphExecKernelNodeSetParams"))(made, nodes[2], &params);
    }
    if (!strcmp(what, "updated")) {
        void *other = graph(at, 64);
        ((int (*)(void *, void *, void *))f("cuGraphExecUpdate"))(made, other, 0);
        ((int (*)(void *))f("cuGraphDestroy"))(other);
    }
    if (!strcmp(what, "off")) ((int (*)(void *, void *, unsigned))f("cuGraphNodeSetEnabled"))(made, nodes[1], 0);
    if (!strcmp(what, "destroyed")) ((int (*)(void *))f("cuGraphDestroy"))(of);
    for (int i = 0; i < (strcmp(what, "twice") ? 1 : 2); i++) printf("app: launch %d\n", launch(made, 0));
    ((int (*)(void *))f("cuGraphExecDestroy"))(made);
    if (strcmp(what, "destroyed")) ((int (*)(void *))f("cuGraphDestroy"))(of);
    return 3;
}
