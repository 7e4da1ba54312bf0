// Kernels in pairs whose data are volatile, asked about with `--volatile weak`, by which that orders nothing: a block has
// 64 threads, and there are two blocks, or one where the name begins with `one_block`.
#define K extern "C" __global__ void

// Sections of one lock at two places of the code.

K two_places_clean(int *lock, volatile int *sum) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum = 1;
        __threadfence();
        atomicExch(lock, 0);
    } else {
        while (atomicExch(lock, 7) != 0) {}
        __threadfence();
        *sum += 2;
        __threadfence();
        atomicExch(lock, 0);
    }
}
K two_places_race(int *lock, volatile int *sum) { // nobody acquires at the first place
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        *sum = 1;
        __threadfence();
        atomicExch(lock, 0);
    } else {
        while (atomicExch(lock, 7) != 0) {}
        __threadfence();
        *sum += 2;
        __threadfence();
        atomicExch(lock, 0);
    }
}

K narrow_section_clean(int *lock, volatile int *sum) { // each block's own word needs the block's scope only
    int *own = lock + blockIdx.x;
    if (threadIdx.x == 0) {
        while (atomicCAS(own, 0, 1) != 0) {}
        __threadfence();
        sum[blockIdx.x] = 1;
        __threadfence();
        atomicExch(own, 0);
    }
}
K narrow_section_race(int *lock, volatile int *sum) { // a fence of the block's scope between two blocks
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence_block();
        *sum = 1;
        __threadfence();
        atomicExch(lock, 0);
    } else {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum = 2;
        __threadfence();
        atomicExch(lock, 0);
    }
}

K behind_the_section_clean(int *lock, volatile int *sum) { // what follows it is somebody's own
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    int seen = sum[0];
    __threadfence();
    atomicExch(lock, 0);
    sum[1 + blockIdx.x] = seen;
}
K behind_the_section_race(int *lock, volatile int *sum) { // one of them writes when it has given the lock back
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    sum[1 + blockIdx.x] = sum[0];
    __threadfence();
    atomicExch(lock, 0);
    if (blockIdx.x == 0) sum[0] = 1;
}

// In a block, its scope is enough for all of them.

K one_block_scopes_clean(int *lock, volatile int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum = 1;
        __threadfence();
        atomicExch(lock, 0);
    } else if (threadIdx.x == 32) {
        while (atomicCAS_block(lock, 0, 1) != 0) {}
        __threadfence_block();
        *sum = 2;
        __threadfence_block();
        atomicExch_block(lock, 0);
    }
}
K one_block_scopes_race(int *lock, volatile int *sum) { // one gives it back without a fence
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum = 1;
        atomicExch(lock, 0);
    } else if (threadIdx.x == 32) {
        while (atomicCAS_block(lock, 0, 1) != 0) {}
        __threadfence_block();
        *sum = 2;
        __threadfence_block();
        atomicExch_block(lock, 0);
    }
}

K one_block_message_clean(int *flag, volatile int *data) {
    if (threadIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        atomicExch_block(flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(flag, 0) == 0) {}
        __threadfence_block();
        data[1] = data[0];
    }
}
K one_block_message_race(int *flag, volatile int *data) { // what polls does not acquire
    if (threadIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        atomicExch_block(flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(flag, 0) == 0) {}
        data[1] = data[0];
    }
}

K narrow_message_clean(int *flag, volatile int *data) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicExch(flag, 0) == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}
K narrow_message_race(int *flag, volatile int *data) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicExch(flag, 0) == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

// Atomics, and what is none.

K exchanged_clean(int *data) {
    if (threadIdx.x == 0) atomicExch(data, blockIdx.x);
}
K exchanged_race(volatile int *data) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        atomicExch((int *)data, 1);
    else
        *data = 2;
}

K one_block_exchanged_clean(int *data) {
    if (threadIdx.x == 0) atomicExch(data, 1);
    if (threadIdx.x == 32) atomicExch_block(data, 2);
}
K one_block_exchanged_race(volatile int *data) {
    if (threadIdx.x == 0) atomicExch_block((int *)data, 1);
    if (threadIdx.x == 32) *data = 2;
}

K exchanged_by_block_clean(int *data) {
    if (threadIdx.x % 32 == 0) atomicExch_block(data + blockIdx.x, threadIdx.x);
}
K exchanged_by_block_race(int *data) {
    if (threadIdx.x % 32 == 0) atomicExch_block(data + blockIdx.x / 2, threadIdx.x);
}
