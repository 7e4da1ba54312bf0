// cms-sw/cmssw #45655: the vertices' shared counter is reset for the next vertex before all threads have used it.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void split_vertices(const int* tracks, int* out, int vertices) {
    __shared__ int members;
    for (int v = 0; v < vertices; ++v) {
        if (threadIdx.x == 0) members = 0; //~ RACE(1)
        __syncthreads();
        if (tracks[v * 64 + threadIdx.x] == 0) atomicAdd(&members, 1);
        __syncthreads();
        out[v * 64 + threadIdx.x] = members; //~ RACE(1)
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    split_vertices<fixed><<<1, 64>>>(zeros<int>(192), zeros<int>(192), 3);
    finish();
}
