// Kernels in pairs that order their blocks by `fence.sc` operations of other threads than those that take the ticket: NAME_clean is
// to be proved, NAME_race has a race by the PTX memory model in some launch. A barrier hands a fence on.
#define K extern "C" __global__ void
#define FENCE_ACQ_REL() asm volatile("fence.acq_rel.gpu;" ::: "memory")

K fences_then_ticket_clean(int *partial, unsigned *counter, int *out) { // all fence, one takes the ticket and fences
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b * blockDim.x + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}
K fences_then_ticket_race(int *partial, unsigned *counter, int *out) { // no fence behind the ticket
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(counter, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b * blockDim.x + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}

K ticket_then_fences_clean(int *partial, unsigned *counter, int *out) { // all fence before and behind the ticket
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(counter, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b * blockDim.x + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}
K ticket_then_fences_race(int *partial, unsigned *counter, int *out) { // the fences are of no total order
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    FENCE_ACQ_REL();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(counter, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        FENCE_ACQ_REL();
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += partial[b * blockDim.x + threadIdx.x];
        out[threadIdx.x] = sum;
    }
}
