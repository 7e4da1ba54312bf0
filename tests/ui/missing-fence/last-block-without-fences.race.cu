//@ lens-ptx: race
//@ class: missing-fence
// The block that draws the last ticket adds up what all blocks have stored.
// The bug: no fence before the ticket and none after it, so that drawing it hands nothing
// over, although every block stores first and draws then. The clean twin has both.
#include "../support/check.h"

constexpr int THREADS = 64;

__global__ void total(const int *in, int *partial, unsigned *tickets, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    int odd = __syncthreads_count(in[blockIdx.x * THREADS + t] % 2 != 0);
    if (t == 0) {
        partial[blockIdx.x] = odd; //~ RACE(1)
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i)
            sum += partial[i]; //~ RACE(1)
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
//@ engine-guard: race
