//@ lens-ptx: clean
//@ nvcc: -g
// The host downloads a result asynchronously and looks at it.
// Clean: a download into pageable memory has completed when the call returns.
#include "../support/check.h"
#include <vector>

constexpr int N = 32;

__global__ void fill(int *numbers) { numbers[threadIdx.x] = 7 + threadIdx.x; }

int main() {
    int *numbers, *host;
    std::vector<int> pageable(N);
    CHECK(cudaMalloc(&numbers, N * sizeof(int)));
    host = pageable.data();
    fill<<<1, N>>>(numbers);
    CHECK(cudaMemcpyAsync(host, numbers, N * sizeof(int), cudaMemcpyDeviceToHost));
    int last = host[N - 1];
    std::printf("%d\n", last);
    CHECK(cudaDeviceSynchronize());
    return last != 7 + N - 1;
}
