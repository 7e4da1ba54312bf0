//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// The host downloads a result asynchronously and looks at it.
// The bug: into pinned memory, so the call returns before the copy is done. In the clean
// twin the memory is pageable, and the call returns only when the data is there.
#include "../support/check.h"
#include <vector>

constexpr int N = 32;

__global__ void fill(int *numbers) { numbers[threadIdx.x] = 7 + threadIdx.x; }

int main() {
    int *numbers, *host;
    std::vector<int> pageable(N);
    CHECK(cudaMalloc(&numbers, N * sizeof(int)));
    CHECK(cudaMallocHost(&host, N * sizeof(int)));
    fill<<<1, N>>>(numbers);
    CHECK(cudaMemcpyAsync(host, numbers, N * sizeof(int), cudaMemcpyDeviceToHost)); //~ RACE(1)
    int last = host[N - 1]; //~ RACE(1)
    std::printf("%d\n", last);
    CHECK(cudaDeviceSynchronize());
    return last != 7 + N - 1;
}
//@ advice: its clean twin copies into pageable memory, for which the call waits
