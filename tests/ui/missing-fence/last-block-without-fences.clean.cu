//@ lens-ptx: clean
// The block that draws the last ticket adds up what all blocks have stored.
// The fences before and after the ticket hand over what was stored.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void total(const int *in, int *partial, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    int odd = __syncthreads_count(in[blockIdx.x * THREADS + t] % 2 != 0);
    if (t == 0) {
        partial[blockIdx.x] = odd;
        __threadfence();
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i)
            sum += partial[i];
        *out = sum;
    }
}

int main() {
    const int blocks = 5, n = blocks * THREADS;
    int host[n], got, *in, *partial, *out;
    unsigned *tickets;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, blocks * sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof *tickets));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(tickets, 0, sizeof *tickets));
    total<<<blocks, THREADS>>>(in, partial, tickets, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d of %d\n", got, n / 2);
    return got != n / 2;
}
