// Kernels in pairs that order their blocks and threads by flags, counters and locks: NAME_clean is to be proved,
// NAME_race has a race by the PTX memory model in some launch.
#define K extern "C" __global__ void
#define STORE_RELEASE(p, v) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define LOAD_ACQUIRE(p, v) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
#define STORE_RELAXED(p, v) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define LOAD_RELAXED(p, v) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")

// Messages: what a flag says is there.

K message_clean(int *data, volatile int *flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        data[blockIdx.x] = data[0];
    }
}
K message_race(int *data, volatile int *flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        data[blockIdx.x] = data[0];
    }
}

K message_released_clean(int *data, unsigned *flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        STORE_RELEASE(flag, 1);
    } else {
        unsigned seen;
        do LOAD_ACQUIRE(flag, seen); while (seen != 1);
        data[blockIdx.x] = data[0];
    }
}
K message_released_race(int *data, unsigned *flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        STORE_RELAXED(flag, 1);
    } else {
        unsigned seen;
        do LOAD_ACQUIRE(flag, seen); while (seen != 1);
        data[blockIdx.x] = data[0];
    }
}

K maybe_there_clean(int *data, unsigned *flag, int *out) { // nobody waits: who sees the flag reads
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        STORE_RELEASE(flag, 1);
    } else {
        unsigned seen;
        LOAD_ACQUIRE(flag, seen);
        if (seen) out[blockIdx.x] = data[0];
    }
}
K maybe_there_race(int *data, unsigned *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        STORE_RELEASE(flag, 1);
    } else {
        unsigned seen;
        LOAD_ACQUIRE(flag, seen);
        if (seen != 2) out[blockIdx.x] = data[0];
    }
}

K message_atomics_clean(int *data, int *flag) { // set by an exchange, read by an addition of nothing
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        data[blockIdx.x] = data[0];
    }
}
K message_atomics_race(int *data, int *flag) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        atomicExch(flag, 1);
        __threadfence();
        data[0] = 42;
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        data[blockIdx.x] = data[0];
    }
}

K message_of_block_clean(int *data, volatile int *flag, int *out) { // all threads of one block to all of the others
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 42;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}
K message_of_block_race(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 42;
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}

K flag_each_clean(int *data, unsigned *flags, int *out) { // each block waits for the one before it
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        data[b] = b;
        STORE_RELEASE(flags + b, 1);
        if (b > 0) {
            unsigned seen;
            do LOAD_ACQUIRE(flags + b - 1, seen); while (seen == 0);
            out[b] = data[b - 1];
        }
    }
}
K flag_each_race(int *data, unsigned *flags, int *out) { // of the wrong block
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        data[b] = b;
        STORE_RELEASE(flags + b, 1);
        if (b > 0) {
            unsigned seen;
            do LOAD_ACQUIRE(flags + b, seen); while (seen == 0);
            out[b] = data[b - 1];
        }
    }
}

K look_back_clean(const int *in, int *sums, unsigned *ready, int *out) { // a scan whose blocks hand on their sums
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int sum = in[b];
        if (b > 0) {
            unsigned seen;
            do LOAD_RELAXED(ready + b - 1, seen); while (seen == 0);
            __threadfence();
            sum += sums[b - 1];
        }
        sums[b] = sum;
        __threadfence();
        STORE_RELAXED(ready + b, 1);
        out[b] = sum;
    }
}
K look_back_race(const int *in, int *sums, unsigned *ready, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int sum = in[b];
        if (b > 0) {
            unsigned seen;
            do LOAD_RELAXED(ready + b - 1, seen); while (seen == 0);
            __threadfence();
            sum += sums[b - 1];
        }
        STORE_RELAXED(ready + b, 1);
        __threadfence();
        sums[b] = sum;
        out[b] = sum;
    }
}

K aggregate_or_prefix_clean(const int *in, int *aggregates, int *prefixes, unsigned *state, int *out) {
    int b = blockIdx.x; // 1: the block's own sum is there; 2: that of all before it, too
    if (threadIdx.x != 0) return;
    aggregates[b] = in[b];
    STORE_RELEASE(state + b, 1);
    int before = 0;
    if (b > 0) {
        unsigned seen;
        do LOAD_ACQUIRE(state + b - 1, seen); while (seen == 0);
        if (seen == 2) before = prefixes[b - 1];
        else before = aggregates[b - 1];
    }
    prefixes[b] = before + in[b];
    STORE_RELEASE(state + b, 2);
    out[b] = before;
}
K aggregate_or_prefix_race(const int *in, int *aggregates, int *prefixes, unsigned *state, int *out) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    aggregates[b] = in[b];
    STORE_RELEASE(state + b, 1);
    int before = 0;
    if (b > 0) {
        unsigned seen;
        do LOAD_ACQUIRE(state + b - 1, seen); while (seen == 0);
        if (seen == 2) before = aggregates[b - 1];
        else before = prefixes[b - 1];
    }
    prefixes[b] = before + in[b];
    STORE_RELEASE(state + b, 2);
    out[b] = before;
}

K flag_in_block_clean(int *data, int *out) { // one warp tells the other by shared memory
    __shared__ int message[32];
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        message[0] = data[blockIdx.x];
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[blockIdx.x] = message[0];
    }
}
K flag_in_block_race(int *data, int *out) {
    __shared__ int message[32];
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        message[0] = data[blockIdx.x];
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[blockIdx.x] = message[0];
    }
}

K fence_scope_clean(int *data, volatile int *flag) { // the flag stays in the block, and so does its fence
    if (threadIdx.x == 0) {
        data[2 * blockIdx.x] = 42;
        __threadfence();
        flag[blockIdx.x] = 1;
    } else if (threadIdx.x == 32) {
        while (flag[blockIdx.x] == 0) {}
        __threadfence();
        data[2 * blockIdx.x + 1] = data[2 * blockIdx.x];
    }
}
K fence_scope_race(int *data, volatile int *flag) { // between blocks, a fence of the block is too narrow
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence_block();
        data[blockIdx.x] = data[0];
    }
}

// Counters.

K last_block_clean(const int *in, int *partial, unsigned *counter, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += partial[i];
        *out = sum;
        *counter = 0;
    }
}
K last_block_race(const int *in, int *partial, unsigned *counter, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += partial[i];
        *out = sum;
        *counter = 0;
    }
}

K last_block_of_all_clean(int *partial, unsigned *counter, int *out) { // all threads store, and all read
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(counter, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += partial[i];
        out[threadIdx.x] = sum;
    }
}
K last_block_of_all_race(int *partial, unsigned *counter, int *out) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(counter, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += partial[i];
        out[threadIdx.x] = sum;
    }
}

K last_thread_clean(int *data, unsigned *counter, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __threadfence();
    if (atomicAdd(counter, 1) == gridDim.x * blockDim.x - 1) {
        __threadfence();
        out[0] = data[0] + data[1];
    }
}
K last_thread_race(int *data, unsigned *counter, int *out) { // one too early
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __threadfence();
    if (atomicAdd(counter, 1) == gridDim.x * blockDim.x - 2) {
        __threadfence();
        out[0] = data[0] + data[gridDim.x * blockDim.x - 1];
    }
}

K all_arrive_clean(int *data, unsigned *counter, int *out) { // a barrier of the grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1);
        while (*(volatile unsigned *)counter < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = data[gridDim.x * blockDim.x - 1 - i];
}
K all_arrive_race(int *data, unsigned *counter, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1);
        while (*(volatile unsigned *)counter < gridDim.x - 1) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = data[gridDim.x * blockDim.x - 1 - i];
}

K last_of_block_clean(int *data, int *out) { // a counter of the block
    __shared__ unsigned counter;
    __shared__ int part[1024];
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    part[threadIdx.x] = data[threadIdx.x];
    __threadfence_block();
    if (atomicAdd_block(&counter, 1) == blockDim.x - 1) {
        __threadfence_block();
        int sum = 0;
        for (int i = 0; i < blockDim.x; i++) sum += part[i];
        out[blockIdx.x] = sum;
    }
}
K last_of_block_race(int *data, int *out) {
    __shared__ unsigned counter;
    __shared__ int part[1024];
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    part[threadIdx.x] = data[threadIdx.x];
    if (atomicAdd_block(&counter, 1) == blockDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < blockDim.x; i++) sum += part[i];
        out[blockIdx.x] = sum;
    }
}

K slots_clean(int *out, unsigned *used) { // each gets its own
    out[atomicAdd(used, 1)] = threadIdx.x;
}
K slots_race(int *out, unsigned *used) {
    out[atomicAdd(used, 1) / 2] = threadIdx.x;
}

K ring_clean(int *ring, unsigned *next) { // as many places as blocks, one after the other
    if (threadIdx.x == 0) ring[atomicInc(next, gridDim.x - 1)] = blockIdx.x;
}
K ring_race(int *ring, unsigned *next) { // one too few
    if (threadIdx.x == 0) ring[atomicInc(next, gridDim.x / 2 - 1)] = blockIdx.x;
}

struct Shared { int out; unsigned tickets; int part[]; };
K one_struct_clean(Shared *s) { // the counter and what it protects in one array
    if (threadIdx.x == 0) {
        s->part[blockIdx.x] = blockIdx.x;
        __threadfence();
        if (atomicAdd(&s->tickets, 1) == gridDim.x - 1) {
            __threadfence();
            int sum = 0;
            for (int i = 0; i < gridDim.x; i++) sum += s->part[i];
            s->out = sum;
        }
    }
}
K one_struct_race(Shared *s) {
    if (threadIdx.x == 0) {
        s->part[blockIdx.x] = blockIdx.x;
        __threadfence();
        if (atomicAdd(&s->tickets, 2) == gridDim.x - 2) {
            __threadfence();
            int sum = 0;
            for (int i = 0; i < gridDim.x; i++) sum += s->part[i];
            s->out = sum;
        }
    }
}

K wide_slots_clean(int *out, int *used, const int *keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (keep[i] > 0) {
        int at = atomicAdd(used, 3);
        for (int k = 0; k < 3; k++) out[at + k] = i;
    }
}
K wide_slots_race(int *out, int *used, const int *keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (keep[i] >= 0) {
        int at = atomicAdd(used, 3);
        for (int k = 0; k < 4; k++) out[at + k] = i;
    }
}

// Locks.

K spin_lock_clean(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum += blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}
K spin_lock_race(int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        *sum += blockIdx.x;
        atomicExch(lock, 0);
    }
}

K block_lock_clean(int *lock, int *data) { // its first thread takes it for the whole block
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
    }
    __syncthreads();
    data[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0);
    }
}
K block_lock_race(int *lock, int *data) { // given back before all have done
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
    }
    __syncthreads();
    data[threadIdx.x] += 1;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

K ticket_lock_clean(unsigned *next, unsigned *serving, int *sum) { // who comes first is served first
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*(volatile unsigned *)serving != mine) {}
        __threadfence();
        *sum += blockIdx.x;
        __threadfence();
        atomicAdd(serving, 1);
    }
}
K ticket_lock_race(unsigned *next, unsigned *serving, int *sum) { // who comes next may not see the sum
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*(volatile unsigned *)serving != mine) {}
        __threadfence();
        *sum += blockIdx.x;
        atomicAdd(serving, 1);
    }
}

K tickets_shared_clean(unsigned *next, unsigned *serving, int *sum) { // a ticket for each
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (atomicAdd(serving, 0) < mine) {}
        if (atomicAdd(serving, 0) == mine) {
            __threadfence();
            *sum += blockIdx.x;
            __threadfence();
            atomicAdd(serving, 1);
        }
    }
}
K tickets_shared_race(unsigned *next, unsigned *serving, int *sum) { // two threads have one number
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1) / 2;
        while (atomicAdd(serving, 0) < mine) {}
        if (atomicAdd(serving, 0) == mine) {
            __threadfence();
            *sum += blockIdx.x;
            __threadfence();
            atomicAdd(serving, 1);
        }
    }
}

K ticket_locks_clean(unsigned *next, unsigned *serving, int *sums, const int *which) { // one of many locks
    if (threadIdx.x == 0) {
        int at = which[blockIdx.x];
        unsigned mine = atomicAdd(&next[at], 1);
        while (*(volatile unsigned *)&serving[at] != mine) {}
        __threadfence();
        sums[at] += 1;
        __threadfence();
        atomicAdd(&serving[at], 1);
    }
}
K ticket_locks_race(unsigned *next, unsigned *serving, int *sums, const int *which) { // a ticket of another lock
    if (threadIdx.x == 0) {
        int at = which[blockIdx.x];
        unsigned mine = atomicAdd(&next[blockIdx.x], 1);
        while (*(volatile unsigned *)&serving[at] != mine) {}
        __threadfence();
        sums[at] += 1;
        __threadfence();
        atomicAdd(&serving[at + gridDim.x], 1);
    }
}

K ticket_of_block_clean(unsigned *next, unsigned *serving, int *data) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*(volatile unsigned *)serving != mine) {}
        __threadfence();
    }
    __syncthreads();
    data[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(serving, 1);
    }
}
K ticket_of_block_race(unsigned *next, unsigned *serving, int *data) { // some do not wait for the first thread
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*(volatile unsigned *)serving != mine) {}
        __threadfence();
    }
    data[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(serving, 1);
    }
}

K try_lock_clean(int *lock, int *sum) { // by every thread, in the manner that lockstep execution does not stop
    bool done = false;
    while (!done) {
        if (atomicExch(lock, 1) == 0) {
            __threadfence();
            *sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
K try_lock_race(int *lock, int *sum) {
    bool done = false;
    while (!done) {
        if (atomicExch(lock, 1) == 0) {
            __threadfence();
            *sum += 1;
            atomicExch(lock, 0);
            done = true;
        }
    }
}

K lock_each_clean(int *locks, int *sums, const int *key) { // a lock for each bucket
    int k = key[blockIdx.x] & 7;
    if (threadIdx.x == 0) {
        while (atomicCAS(locks + k, 0, 1) != 0) {}
        __threadfence();
        sums[k] += 1;
        __threadfence();
        atomicExch(locks + k, 0);
    }
}
K lock_each_race(int *locks, int *sums, const int *key) { // two buckets for each sum
    int k = blockIdx.x & 7;
    if (threadIdx.x == 0) {
        while (atomicCAS(locks + k, 0, 1) != 0) {}
        __threadfence();
        sums[k / 2] += 1;
        __threadfence();
        atomicExch(locks + k, 0);
    }
}

K released_lock_clean(unsigned *lock, int *sum) { // acquired and released by the operations themselves
    if (threadIdx.x != 0) return;
    unsigned was;
    do asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(was) : "l"(lock) : "memory");
    while (was != 0);
    *sum += 1;
    STORE_RELEASE(lock, 0);
}
K released_lock_race(unsigned *lock, int *sum) {
    if (threadIdx.x != 0) return;
    unsigned was;
    do asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(was) : "l"(lock) : "memory");
    while (was != 0);
    *sum += 1;
    STORE_RELEASE(lock, 0);
}

K given_back_twice_clean(int *lock, int *sum) { // what follows the section has its own memory
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    sum[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
    sum[1 + blockIdx.x] = 1;
}
K given_back_twice_race(int *lock, int *sum) { // after the section
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    sum[1] += 1;
    __threadfence();
    atomicExch(lock, 0);
    sum[0] += 1;
}

K claim_clean(int *taken, int *owner) { // the first one has it
    if (atomicExch(taken, 1) == 0) {
        __threadfence();
        *owner = blockIdx.x * blockDim.x + threadIdx.x;
    }
}
K claim_race(int *taken, int *owner) { // each second one
    if (atomicExch(taken, blockIdx.x & 1) == 0) {
        __threadfence();
        *owner = blockIdx.x * blockDim.x + threadIdx.x;
    }
}
