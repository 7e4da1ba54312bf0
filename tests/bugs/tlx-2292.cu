// facebookexperimental/triton #2292: a block stores into a peer's shared memory that the peer has not initialised yet.
//@ class: cluster-dsmem
#include "support/bug.h"

template <bool fixed> __global__ void __cluster_dims__(2) exchange(int* out) {
    __shared__ int received;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) received = -1; //~ RACE(1)
    if (fixed) cluster.sync();
    if (threadIdx.x == 0) *cluster.map_shared_rank(&received, cluster.block_rank() ^ 1) = 42; //~ RACE(1)
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = received;
}

template <bool fixed> void run() {
    exchange<fixed><<<2, 32>>>(zeros<int>(2));
    finish();
}
