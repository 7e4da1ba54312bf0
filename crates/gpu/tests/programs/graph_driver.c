// Stands in for a CUDA driver that has graphs: the kernel `step` adds 1 to the word that it is given, others do nothing; each is said as it runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel, *context;
} Params;

enum { KERNEL = 0, HOST = 3, MOST = 16 };

typedef struct Node {
    int kind, number;
    struct Node *after[MOST];
    Params params;
    unsigned long long argument;
    void *arguments[1];
    int gone;
} Node;

typedef struct {
    Node *nodes[MOST];
    int number, gone;
} Graph;

typedef struct {
    Graph *of;
    Params params[MOST];
    unsigned long long argument[MOST];
    unsigned on[MOST];
} Made;

enum { DEVICE = 0x70000000, BYTES = 4096 };
static char memory[BYTES];
static int context, module;
static struct { char name[32]; } functions[4];

int cuInit(unsigned flags) { return 0; }
int cuCtxGetDevice(int *device) { return 201; }
int cuCtxGetCurrent(void **current) { *current = &context; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; return 0; }
int cuCtxGetLimit(size_t *value, int which) { *value = 1024; return 0; }
int cuMemAlloc_v2(unsigned long long *at, size_t bytes) { *at = DEVICE; return 0; }
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) { memcpy(to, memory + (from - DEVICE), bytes); return 0; }
int cuStreamIsCapturing(void *stream, int *status) { *status = 0; return 0; }
int cuEventCreate(void **event, unsigned flags) { return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuEventQuery(void *event) { return 0; }
int cuEventDestroy_v2(void *event) { return 0; }
int cuModuleLoadData(void **loaded, const void *image) { *loaded = &module; return 0; }
int cuModuleGetFunction(void **function, void *of, const char *name) {
    int i = 0;
    while (*functions[i].name && strcmp(functions[i].name, name)) i++;
    strcpy(functions[i].name, name);
    *function = &functions[i];
    return 0;
}
int cuFuncGetParamInfo(void *function, size_t which, size_t *at, size_t *bytes) {
    *at = 0, *bytes = 8;
    return which ? 1 : 0;
}
// Graphs have handles of their own.
int cuFuncGetName(const char **name, void *function) { *name = ((char *)function)[0] == '@' ? (char *)function + 1 : function; return 0; }

int cuGraphCreate(void **graph, unsigned flags) { *graph = calloc(1, sizeof(Graph)); return 0; }
static Node *add(Graph *graph, int kind, void *const *after, size_t number) {
    Node *node = calloc(1, sizeof *node);
    node->kind = kind, node->number = graph->number;
    memcpy(node->after, after, number * sizeof *after);
    return graph->nodes[graph->number++] = node;
}
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *after, size_t number, const Params *params) {
    Node *made = add(graph, KERNEL, after, number);
    made->params = *params;
    made->argument = *(unsigned long long *)params->parameters[0];
    made->arguments[0] = &made->argument, made->params.parameters = made->arguments;
    char *own = calloc(1, 32);
    sprintf(own, "@%s", (char *)params->function);
    made->params.function = own;
    *node = made;
    return 0;
}
int cuGraphAddHostNode(void **node, void *graph, void *const *after, size_t number, const void *params) {
    *node = add(graph, HOST, after, number);
    return 0;
}
int cuGraphGetNodes(void *graph, void **nodes, size_t *number) {
    Graph *of = graph;
    if (of->gone) return 1;
    for (int i = 0; nodes && i < of->number; i++) nodes[i] = of->nodes[of->number - 1 - i];
    *number = of->number;
    return 0;
}
int cuGraphGetEdges(void *graph, void **from, void **to, size_t *number) {
    Graph *of = graph;
    // It refuses room for none.
    if (from && !*number) return 1;
    *number = 0;
    for (int i = 0; i < of->number; i++)
        for (int j = 0; of->nodes[i]->after[j]; j++, ++*number)
            if (from) from[*number] = of->nodes[i]->after[j], to[*number] = of->nodes[i];
    return 0;
}
int cuGraphNodeGetType(Node *node, int *kind) { *kind = node->kind; return 0; }
int cuGraphKernelNodeGetParams_v2(Node *node, Params *params) { *params = node->params; return 0; }
int cuGraphKernelNodeGetAttribute(Node *node, int which, void *value) { return 1; }
int cuGraphInstantiateWithFlags(Made **made, Graph *graph, unsigned long long flags) {
    *made = calloc(1, sizeof **made);
    (*made)->of = graph;
    for (int i = 0; i < graph->number; i++) {
        (*made)->params[i] = graph->nodes[i]->params;
        (*made)->argument[i] = graph->nodes[i]->argument;
        (*made)->on[i] = 1;
    }
    return 0;
}
int cuGraphDestroy(Graph *graph) {
    printf("driver: a graph is gone\n");
    graph->gone = 1;
    for (int i = 0; i < graph->number; i++) graph->nodes[i]->gone = 1;
    return 0;
}
int cuGraphExecDestroy(Made *made) { printf("driver: an executable graph is gone\n"); return 0; }
int cuGraphNodeGetEnabled(Made *made, Node *node, unsigned *on) { *on = made->on[node->number]; return node->gone || node->kind != KERNEL; }
int cuGraphNodeSetEnabled(Made *made, Node *node, unsigned on) {
    if (node->gone || node->kind != KERNEL) return 1;
    made->on[node->number] = on;
    return 0;
}
int cuGraphExecKernelNodeSetParams_v2(Made *made, Node *node, const Params *params) {
    made->argument[node->number] = *(unsigned long long *)params->parameters[0];
    return 0;
}
int cuGraphExecUpdate_v2(Made *made, Graph *graph, void *result) {
    for (int i = 0; i < graph->number; i++) made->argument[i] = graph->nodes[i]->argument;
    return 0;
}
int cuGraphLaunch(Made *made, void *stream) {
    for (int i = 0; i < made->of->number; i++) {
        Node *node = made->of->nodes[i];
        if (node->kind == HOST) printf("driver: the host is told\n");
        if (node->kind != KERNEL || !made->on[i]) continue;
        char *name = (char *)node->params.function + 1;
        printf("driver: %s runs\n", name);
        if (!strcmp(name, "step")) ++*(unsigned *)(memory + (made->argument[i] - DEVICE));
    }
    return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    return 0;
}
int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, int *status) {
    char name[64];
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    snprintf(name, sizeof name, "%s_v2", symbol);
    *function = dlsym(self, strcmp(symbol, "cuGraphInstantiate") ? name : "cuGraphInstantiateWithFlags");
    if (!*function) *function = dlsym(self, symbol);
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
