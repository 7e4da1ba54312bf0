// A program of many kernels, each of one kind: without an argument it lists them, with a name it runs that one.
//
// A kind whose kernel races on purpose says so in the list.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Kind {
    const char *name, *trait;
    void (*run)();
    Kind *next;
    static Kind *first;
    Kind(const char *name, const char *trait, void (*run)()) : name(name), trait(trait), run(run), next(first) { first = this; }
};
Kind *Kind::first = nullptr;

#define KIND_OF(name, trait)                                                                                           \
    static void run_##name();                                                                                          \
    static Kind kind_##name(#name, trait, run_##name);                                                                 \
    static void run_##name()
#define KIND(name) KIND_OF(name, "")
#define RACY_KIND(name) KIND_OF(name, " racy")

// A kind is run so often, over the same memory, as programs launch their kernels again and again: what the first launch of a
// process costs, which begins threads and gets memory from the system, is then a part of what it is in them.
const int TURNS = 8;

// Each kind's memory, in the order in which it asks for it. Nobody frees it: the program ends soon.
static struct {
    void *all[16];
    int known, asked;
} memory;

template <typename T> static T *memory_of(size_t count) {
    if (memory.asked == 16)
        std::exit(2);
    if (memory.asked == memory.known && cudaMalloc(&memory.all[memory.known++], count * sizeof(T)) != cudaSuccess)
        std::exit(2);
    return (T *)memory.all[memory.asked++];
}

// Memory of zeros.
template <typename T> static T *zeros(size_t count) {
    T *p = memory_of<T>(count);
    if (cudaMemset(p, 0, count * sizeof *p) != cudaSuccess)
        std::exit(2);
    return p;
}

// Memory with what the host has.
template <typename T> static T *copy_of(const T *host, size_t count) {
    T *p = memory_of<T>(count);
    if (cudaMemcpy(p, host, count * sizeof *p, cudaMemcpyHostToDevice) != cudaSuccess)
        std::exit(2);
    return p;
}

static std::chrono::steady_clock::time_point started;
static int turns = TURNS;

// What came before is preparation: the host's time begins here. There is one turn, with launches enough.
static void prepared() {
    turns = 1;
    if (cudaDeviceSynchronize() != cudaSuccess)
        std::exit(3);
    started = std::chrono::steady_clock::now();
}

int main(int argc, char **argv) {
    if (argc < 2) {
        for (Kind *k = Kind::first; k; k = k->next)
            std::printf("%s%s\n", k->name, k->trait);
        return 0;
    }
    for (Kind *k = Kind::first; k; k = k->next) {
        if (std::strcmp(k->name, argv[1]) != 0)
            continue;
        started = std::chrono::steady_clock::now();
        for (int i = 0; i < turns; i++) {
            memory.asked = 0;
            k->run();
        }
        cudaError_t e = cudaDeviceSynchronize();
        std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - started;
        if (e != cudaSuccess) {
            std::fprintf(stderr, "%s: %s\n", k->name, cudaGetErrorString(e));
            return 1;
        }
        std::printf("\nhost: %.1f us\n", spent.count());
        return 0;
    }
    std::fprintf(stderr, "there is no kind %s\n", argv[1]);
    return 2;
}
