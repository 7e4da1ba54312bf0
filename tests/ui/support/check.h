// What every fixture needs of CUDA's error handling, and nothing else.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

inline void check(cudaError_t error, const char *call, int line) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(error));
    std::exit(2);
}

#define CHECK(call) check((call), #call, __LINE__)
