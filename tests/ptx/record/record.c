/* Runs every form of a job folder on the first GPU and writes outputs.bin.
 *
 *   gcc -O2 -o record record.c -ldl && ./record DIR
 *
 * DIR/list.txt has a line per form: PTX file, items, source slots, result slots (8 bytes a
 * slot). DIR/inputs.bin holds the sources of all forms, one after the other; DIR/outputs.bin
 * receives the results in the same way. A form runs in blocks of 128 threads; its parameters
 * are the addresses of sources, results and scratch (64 zeroed bytes a thread).
 *
 * The driver is loaded at run time, so neither headers nor stubs of CUDA are needed. A form
 * that fails is named on stderr, its results stay zero, and the next one runs in a new process:
 * a failed launch spoils a CUDA context.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long u64;

static int (*cuInit)(unsigned);
static int (*cuDeviceGet)(int *, int);
static int (*cuDeviceGetName)(char *, int, int);
static int (*cuDriverGetVersion)(int *);
static int (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxSetCurrent)(void *);
static int (*cuModuleLoadData)(void **, const void *);
static int (*cuModuleUnload)(void *);
static int (*cuModuleGetFunction)(void **, void *, const char *);
static int (*cuMemAlloc)(u64 *, size_t);
static int (*cuMemcpyHtoD)(u64, const void *, size_t);
static int (*cuMemcpyDtoH)(void *, u64, size_t);
static int (*cuMemsetD8)(u64, unsigned char, size_t);
static int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             void *, void **, void **);
static int (*cuCtxSynchronize)(void);

struct form {
    char file[256];
    size_t items, sources, results;
    size_t in_at, out_at; /* bytes into the files */
};

static void die(const char *what)
{
    fprintf(stderr, "record: %s\n", what);
    exit(2);
}

static void *entry(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    if (!p)
        die(name);
    return p;
}

static void load_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (!lib)
        die("no libcuda.so.1");
    *(void **)&cuInit = entry(lib, "cuInit");
    *(void **)&cuDeviceGet = entry(lib, "cuDeviceGet");
    *(void **)&cuDeviceGetName = entry(lib, "cuDeviceGetName");
    *(void **)&cuDriverGetVersion = entry(lib, "cuDriverGetVersion");
    *(void **)&cuDevicePrimaryCtxRetain = entry(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&cuCtxSetCurrent = entry(lib, "cuCtxSetCurrent");
    *(void **)&cuModuleLoadData = entry(lib, "cuModuleLoadData");
    *(void **)&cuModuleUnload = entry(lib, "cuModuleUnload");
    *(void **)&cuModuleGetFunction = entry(lib, "cuModuleGetFunction");
    *(void **)&cuMemAlloc = entry(lib, "cuMemAlloc_v2");
    *(void **)&cuMemcpyHtoD = entry(lib, "cuMemcpyHtoD_v2");
    *(void **)&cuMemcpyDtoH = entry(lib, "cuMemcpyDtoH_v2");
    *(void **)&cuMemsetD8 = entry(lib, "cuMemsetD8_v2");
    *(void **)&cuLaunchKernel = entry(lib, "cuLaunchKernel");
    *(void **)&cuCtxSynchronize = entry(lib, "cuCtxSynchronize");
}

static char *read_file(const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = malloc(n + 1);
    if (!text || fread(text, 1, n, f) != (size_t)n)
        die(path);
    text[n] = 0;
    fclose(f);
    return text;
}

/* Runs forms from *at on; leaves *at at the one that is under way. */
static void work(const char *dir, const struct form *forms, size_t count, const char *in, char *out,
                 volatile size_t *at, size_t largest_in, size_t largest_out, size_t most_items)
{
    int device;
    void *context;
    u64 sources, results, scratch;
    load_driver();
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context))
        die("no usable GPU");
    if (cuMemAlloc(&sources, largest_in + 8) || cuMemAlloc(&results, largest_out + 8) ||
        cuMemAlloc(&scratch, most_items * 64))
        die("out of GPU memory");
    if (*at == 0) {
        char name[256] = "";
        int version = 0;
        cuDeviceGetName(name, sizeof name, device);
        cuDriverGetVersion(&version);
        printf("%s, CUDA %d.%d driver, %zu forms\n", name, version / 1000, version % 1000 / 10, count);
        fflush(stdout);
    }
    for (; *at < count; ++*at) {
        const struct form *f = &forms[*at];
        void *module, *kernel;
        size_t in_bytes = f->items * f->sources * 8, out_bytes = f->items * f->results * 8;
        char *text = read_file(dir, f->file);
        int e;
        alarm(20);
        if (!text || (e = cuModuleLoadData(&module, text)) || (e = cuModuleGetFunction(&kernel, module, "form")))
            exit(3);
        free(text);
        void *params[] = {&sources, &results, &scratch};
        if (cuMemcpyHtoD(sources, in + f->in_at, in_bytes ? in_bytes : 0) ||
            cuMemsetD8(results, 0, out_bytes) || cuMemsetD8(scratch, 0, f->items * 64) ||
            cuLaunchKernel(kernel, f->items / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL) ||
            cuCtxSynchronize() || cuMemcpyDtoH(out + f->out_at, results, out_bytes))
            exit(4);
        cuModuleUnload(module);
    }
    exit(0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        die("usage: record DIR");
    const char *dir = argv[1];
    char *list = read_file(dir, "list.txt"), *in = read_file(dir, "inputs.bin");
    if (!list || !in)
        die("no list.txt or inputs.bin");
    size_t count = 0, in_at = 0, out_at = 0, largest_in = 0, largest_out = 0, most = 0;
    struct form *forms = malloc(sizeof *forms * strlen(list));
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        struct form *f = &forms[count++];
        if (sscanf(line, "%255s %zu %zu %zu", f->file, &f->items, &f->sources, &f->results) != 4)
            die(line);
        size_t in_bytes = f->items * f->sources * 8, out_bytes = f->items * f->results * 8;
        f->in_at = in_at;
        f->out_at = out_at;
        in_at += in_bytes;
        out_at += out_bytes;
        if (in_bytes > largest_in)
            largest_in = in_bytes;
        if (out_bytes > largest_out)
            largest_out = out_bytes;
        if (f->items > most)
            most = f->items;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/outputs.bin", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || ftruncate(fd, out_at))
        die(path);
    char *out = mmap(NULL, out_at, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    volatile size_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (out == MAP_FAILED || at == MAP_FAILED)
        die("mmap");
    size_t failed = 0;
    for (*at = 0; *at < count; ++*at) {
        pid_t child = fork();
        int status;
        if (child == 0)
            work(dir, forms, count, in, out, at, largest_in, largest_out, most);
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            return 2;
        const char *why = WIFEXITED(status) ? (WEXITSTATUS(status) == 3 ? "does not load" : "fails") : "hangs";
        fprintf(stderr, "record: %s %s\n", forms[*at].file, why);
        ++failed;
    }
    printf("%zu forms recorded, %zu failed\n", count - failed, failed);
    return failed != 0;
}
