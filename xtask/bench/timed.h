// Tells how long the kernels took that are launched while it lives, as the device's events see it.
#pragma once
#include <cstdio>

struct Timed {
    cudaEvent_t begin, end;

    Timed() {
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        cudaEventRecord(begin);
    }

    ~Timed() {
        float ms = 0;
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        // A kernel that was not launched took no time.
        if (cudaError_t error = cudaGetLastError())
            std::printf("kernels failed: %s\n", cudaGetErrorString(error));
        else
            std::printf("kernels: %f ms\n", ms);
    }
};
