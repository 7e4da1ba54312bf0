//@ lens-ptx: race
//@ class: async-copy
// One thread fills a ring of stages by bulk copies, a warp sums them up. Stages are handed over by mbarriers `full` and `empty`.
// The bug: the warp gives a stage back before it has read it. The clean twin reads first.
#include "../support/pipeline.h"

constexpr int STAGES = 2, STEPS = 5, N = 32;

__global__ void sum(const int *in, int *out) {
    __shared__ alignas(128) int ring[STAGES][N];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    int t = threadIdx.x, total = 0;
    if (t == 0)
        for (int i = 0; i < STAGES; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&empty[i])), "r"(N) : "memory");
        }
    __syncthreads();
    if (t == 0)
        for (int step = 0; step < STEPS; ++step) {
            int stage = step % STAGES;
            wait_for(&empty[stage], step / STAGES % 2 ^ 1);
            expect_bytes(&full[stage], sizeof ring[stage]);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(ring[stage])), "l"(in + step * N), "r"(int(sizeof ring[stage])), "r"(shared_address(&full[stage])) : "memory"); //~ RACE(1)
        }
    if (t >= N) {
        for (int step = 0; step < STEPS; ++step) {
            int stage = step % STAGES;
            wait_for(&full[stage], step / STAGES % 2);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            arrive_at(&empty[stage]);
            total += ring[stage][t - N]; //~ RACE(1)
        }
        out[t - N] = total;
    }
}

int main() {
    int numbers[STEPS * N], got[N], *in, *out, wrong = 0;
    for (int i = 0; i < STEPS * N; ++i) numbers[i] = i;
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    sum<<<1, 2 * N>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) {
        int total = 0;
        for (int step = 0; step < STEPS; ++step) total += step * N + i;
        wrong += got[i] != total;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
