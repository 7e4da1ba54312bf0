// What the miniatures share: memory, streams, checked calls.
#pragma once

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                 \
    do {                                                                                                            \
        cudaError_t error = (call);                                                                                 \
        if (error != cudaSuccess) {                                                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                     \
            std::exit(2);                                                                                           \
        }                                                                                                           \
    } while (0)

// Device memory of `n` zeros, which every stream may use.
template <typename T> T* zeros(size_t n) {
    T* memory;
    CHECK(cudaMalloc(&memory, n * sizeof(T)));
    CHECK(cudaMemset(memory, 0, n * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return memory;
}

// Page-locked host memory of `n` zeros.
template <typename T> T* pinned(size_t n) {
    T* memory;
    CHECK(cudaMallocHost(&memory, n * sizeof(T)));
    for (size_t i = 0; i < n; ++i) memory[i] = T();
    return memory;
}

// A stream that does not wait for the legacy stream.
inline cudaStream_t own_stream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

inline cudaEvent_t own_event() {
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

// Waits for the device; reports what went wrong in kernels.
inline void finish() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
