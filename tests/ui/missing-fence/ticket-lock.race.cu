//@ lens-ptx: race
//@ class: missing-fence inter-block
// A ticket lock: take a number, wait until it is served, then serve the next.
// The bug: the lock has no fences at all. The clean twin has one after the wait and one
// before serving the next.
#include "../support/check.h"

struct TicketLock {
    unsigned next;
    unsigned serving;
};

__device__ void lock(TicketLock *l) {
    unsigned mine = atomicAdd(&l->next, 1u);
    while (atomicAdd(&l->serving, 0u) != mine) {}
}

__device__ void unlock(TicketLock *l) {
    atomicAdd(&l->serving, 1u);
}

__global__ void longest(TicketLock *l, const int *in, int *best) {
    if (threadIdx.x != 0) return;
    int mine = in[blockIdx.x];
    lock(l);
    *best = max(*best, mine); //~ RACE(1) RACE(1)
    unlock(l);
}

int main() {
    const int blocks = 4;
    int host[blocks] = {3, 9, 4, 1}, got, *in, *best;
    TicketLock *l;
    CHECK(cudaMalloc(&l, sizeof *l));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&best, sizeof(int)));
    CHECK(cudaMemset(l, 0, sizeof *l));
    CHECK(cudaMemset(best, 0, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    longest<<<blocks, 32>>>(l, in, best);
    CHECK(cudaMemcpy(&got, best, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 9;
}
//@ engine-guard: race
