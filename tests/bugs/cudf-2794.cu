// NVIDIA/cudf #2794: one value of a category is fetched asynchronously and returned at once.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void number(int* map) {
    map[threadIdx.x] = threadIdx.x;
}

static int get_value(int* host, const int* map, int index, bool fixed) {
    CHECK(cudaMemcpyAsync(host, map + index, sizeof(int), cudaMemcpyDeviceToHost)); //~ RACE(1)
    if (fixed) CHECK(cudaStreamSynchronize(0));
    return *host; //~ RACE(1)
}

template <bool fixed> void run() {
    int* map = zeros<int>(8);
    number<<<1, 8>>>(map);
    std::printf("%d\n", get_value(pinned<int>(1), map, 3, fixed));
    finish();
}
