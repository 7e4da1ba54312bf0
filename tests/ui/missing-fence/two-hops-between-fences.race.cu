//@ lens-ptx: race
//@ class: missing-fence
// Data pass two blocks on: their threads fence and meet, and others than those that fence raise the flags.
// The bug: the block between does not fence. The first flag is behind the first fence, and the second before the last one; nothing
// forces the order of these two.
#include "../support/check.h"

constexpr int BLOCKS = 4, THREADS = 64;

__global__ void relay(const int *in, int *value, unsigned *flags, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        value[t] = in[t] + 1; //~ RACE(1)
        __threadfence();
        __syncthreads();
        if (t == 0) atomicExch(flags, 1u);
    } else if (blockIdx.x == 1) {
        if (t == 0) {
            while (atomicAdd(flags, 0u) == 0) {}
        }
        __syncthreads();
        if (t == THREADS - 1) atomicExch(flags + 1, 1u);
    } else if (blockIdx.x == 2) {
        if (t == 0) {
            while (atomicAdd(flags + 1, 0u) == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[t] = value[THREADS - 1 - t]; //~ RACE(1)
    }
}

int main() {
    int host[THREADS], got[THREADS], *in, *value, *out;
    unsigned *flags;
    for (int i = 0; i < THREADS; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&value, sizeof host));
    CHECK(cudaMalloc(&flags, 2 * sizeof *flags));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flags, 0, 2 * sizeof *flags));
    relay<<<BLOCKS, THREADS>>>(in, value, flags, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[THREADS - 1]);
    return got[0] != THREADS || got[THREADS - 1] != 1;
}
//@ engine-guard: race
