//@ lens-ptx: race
//@ class: lock-wrong
// Two blocks move money between two accounts, in opposite directions.
// The bug: each locks only the account it takes from. The clean twin locks both, the
// lower one first.
#include "../support/check.h"

struct Account {
    int mutex;
    int balance;
};

__device__ void lock(Account *a) {
    while (atomicCAS(&a->mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(Account *a) {
    __threadfence();
    atomicExch(&a->mutex, 0);
}

__global__ void transfer(Account *accounts) {
    Account *from = &accounts[blockIdx.x], *to = &accounts[1 - blockIdx.x];
    int amount = 10 + 10 * blockIdx.x;
    lock(from);
    from->balance -= amount; //~ RACE(1)
    to->balance += amount; //~ RACE(1)
    unlock(from);
}

int main() {
    Account host[2] = {{0, 100}, {0, 100}}, *accounts;
    CHECK(cudaMalloc(&accounts, sizeof host));
    CHECK(cudaMemcpy(accounts, host, sizeof host, cudaMemcpyHostToDevice));
    transfer<<<2, 1>>>(accounts);
    CHECK(cudaMemcpy(host, accounts, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0].balance, host[1].balance);
    return host[0].balance != 110 || host[1].balance != 90;
}
//@ engine-guard: race
