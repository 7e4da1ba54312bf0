// NVIDIA/cudf #9317: a key is published by compare-and-swap before its payload has been stored.
#include "support/bug.h"

struct Slot {
    int key, payload;
};

template <bool fixed> __global__ void insert(Slot* table, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> key(table->key), payload(table->payload);
    int empty = 0;
    if (key.compare_exchange_strong(empty, 7, cuda::memory_order_relaxed)) {
        if (fixed) payload.store(70, cuda::memory_order_relaxed);
        else table->payload = 70; //~ RACE(1)
    } else {
        int seen = 0;
        if (fixed) while ((seen = payload.load(cuda::memory_order_relaxed)) == 0) {}
        else seen = table->payload; //~ RACE(1)
        out[blockIdx.x] = seen;
    }
}

template <bool fixed> void run() {
    insert<fixed><<<2, 1>>>(zeros<Slot>(1), zeros<int>(2));
    finish();
}
