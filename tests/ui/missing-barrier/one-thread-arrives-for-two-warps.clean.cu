//@ lens-ptx: clean
// Two warps load weights for the others, and tell them by a cuda::barrier.
// Clean: each of their threads arrives.
#include "../support/check.h"
#include <cuda/barrier>
#include <cuda/std/utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int ARRIVE = 64;

__global__ void weigh(const int *in, int *out) {
    __shared__ int weights[64];
    __shared__ cuda::std::aligned_storage_t<sizeof(Barrier), alignof(Barrier)> room;
    Barrier *loaded = reinterpret_cast<Barrier *>(&room);
    int t = threadIdx.x;
    if (t == 0) init(loaded, ARRIVE + 64);
    __syncthreads();
    if (t < 64) {
        weights[t] = in[t];
        if (t < ARRIVE) (void)loaded->arrive();
    } else {
        loaded->arrive_and_wait();
        int weight = weights[t - 64];
        out[t - 64] = 2 * weight;
    }
}

int main() {
    int host[64], got[64], *in, *out;
    for (int i = 0; i < 64; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    weigh<<<1, 128>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += got[i] != 2 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 80
