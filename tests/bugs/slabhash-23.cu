// owensgroup/SlabHash #23: a bucket's slot is read by an ordinary load and claimed by a compare-and-swap.
//@ class: weak-vs-atomic
#include "support/bug.h"

template <bool fixed> __global__ void insert(unsigned* bucket, const unsigned* keys) {
    const unsigned key = keys[blockIdx.x] + 1 + blockIdx.x;
    for (int slot = 0; slot < 4; ++slot) {
        const unsigned seen = fixed ? cuda::atomic_ref<unsigned, cuda::thread_scope_device>(bucket[slot]).load(cuda::memory_order_relaxed)
                                    : bucket[slot]; //~ RACE(1)
        if (seen == 0 && atomicCAS(&bucket[slot], 0u, key) == 0) break; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    insert<fixed><<<2, 1>>>(zeros<unsigned>(4), zeros<unsigned>(2));
    finish();
}
