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

// Memory of zeros that nobody frees: the program ends soon.
template <typename T> static T *zeros(size_t count) {
    T *p = nullptr;
    if (cudaMalloc(&p, count * sizeof *p) != cudaSuccess || cudaMemset(p, 0, count * sizeof *p) != cudaSuccess)
        std::exit(2);
    return p;
}

// Memory with what the host has.
template <typename T> static T *copy_of(const T *host, size_t count) {
    T *p = nullptr;
    if (cudaMalloc(&p, count * sizeof *p) != cudaSuccess ||
        cudaMemcpy(p, host, count * sizeof *p, cudaMemcpyHostToDevice) != cudaSuccess)
        std::exit(2);
    return p;
}

static std::chrono::steady_clock::time_point started;

// What came before is preparation: the host's time begins here.
static void prepared() {
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
        k->run();
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
