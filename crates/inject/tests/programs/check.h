// Each program checks itself: it prints what went wrong and where, and exits with 1.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

#define OK(call)                                                             \
    do {                                                                     \
        cudaError_t error_ = (call);                                         \
        if (error_ != cudaSuccess) {                                         \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call,        \
                        cudaGetErrorName(error_));                           \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

#define FAILS(call, expected)                                                \
    do {                                                                     \
        cudaError_t error_ = (call);                                         \
        if (error_ != (expected)) {                                          \
            std::printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call,\
                        cudaGetErrorName(error_), #expected);                \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)
