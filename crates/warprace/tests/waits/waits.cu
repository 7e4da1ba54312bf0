// Kernels that wait, for long or for ever; the first argument chooses one. It prints what the program saw.
#include <cuda/barrier>
#include <cuda/latch>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void long_loop(const int *__restrict__ in, int *out, int turns) {
    int x = 1, sum = 0;
    for (int i = 0; i < turns; i++) x = x * 1664525 + 1013904223;
    for (int i = 0; i < turns; i++) {
        asm volatile("" ::: "memory");
        sum += in[i & 15];
    }
    *out = x ^ sum;
}

// The second of two arrivals never comes.
__global__ void barrier() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
    __syncthreads();
    bar.arrive_and_wait(); // barrier
}

__global__ void latch() {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char storage[sizeof(Latch)];
    auto *gate = new (storage) Latch(2);
    gate->arrive_and_wait(); // latch
}

__device__ int flag;

__global__ void counts_in_vain(int *out) {
    int attempts = 0;
    while (atomicAdd(&flag, 0) == 0) // counts
        attempts++;
    *out = attempts;
}

__global__ void waits_for_host(volatile int *mapped, int *out) {
    while (*mapped == 0) {
    }
    *out = 7;
}

__global__ void runs_on(int *out) {
    for (;;) atomicAdd(out, 1); // runs on
}

// The reader gives up after so many polls, and then races.
__global__ void impatient(int *data, int *ready, int *out, int polls) {
    if (blockIdx.x == 0) {
        *data = 1; // written
        __threadfence();
        atomicExch(ready, 1);
    } else {
        for (int i = 0; i < polls; i++)
            if (atomicAdd(ready, 0)) break;
        __threadfence();
        *out = *data; // read
    }
}

// Lane 1 waits for lane 0, which is not waiting for it.
__global__ void foreign_lane() {
    if (threadIdx.x == 1) __syncwarp(1); // foreign
    if (threadIdx.x == 0) while (atomicAdd(&flag, 0) == 0) {}
}

__global__ void begun_anew() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    init(&bar, 1);
    auto token = bar.arrive();
    init(&bar, 1);
    bar.wait(std::move(token)); // anew
}

struct Queue {
    int head, tail, done, lock;
    int items[64];
};

// Blocks take items until all are done, and put two smaller ones for each. They store and meet at barriers in every turn
// of their loop, so they do not look as if they waited for each other.
template <bool fence> __global__ void persistent(Queue *queue, int total) {
    __shared__ int turns, over;
    do {
        if (threadIdx.x == 0) {
            turns = 0;
            int head = atomicAdd(&queue->head, 0);
            if (head < atomicAdd(&queue->tail, 0) && atomicCAS(&queue->head, head, head + 1) == head) {
                __threadfence();
                int item = queue->items[head]; // taken
                if (item > 1) {
                    while (atomicCAS(&queue->lock, 0, 1) != 0) turns++;
                    __threadfence();
                    int tail = atomicAdd(&queue->tail, 0);
                    for (int i = 0; i < 2; i++) queue->items[tail + i] = item - 1; // put
                    if (fence) __threadfence();
                    atomicExch(&queue->tail, tail + 2);
                    __threadfence();
                    atomicExch(&queue->lock, 0);
                }
                atomicAdd(&queue->done, 1);
            }
            over = atomicAdd(&queue->done, 0) == total;
        }
        __syncthreads();
        total = over ? 0 : total;
        __syncthreads();
    } while (total != 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile int *mapped;

static void *sleeper(void *) {
    pthread_mutex_lock(&lock);
    for (;;) pthread_cond_wait(&never, &lock);
}

static void *helper(void *) {
    usleep(700 * 1000);
    *mapped = 1;
    return nullptr;
}

int main(int, char **argv) {
    const char *what = argv[1];
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    int *in, *out, *host;
    cudaMalloc(&in, 64);
    cudaMemset(in, 0, 64);
    cudaMalloc(&out, 4);
    cudaHostAlloc(&host, 4, cudaHostAllocMapped);
    *host = 0;
    mapped = host;
    // A thread that sleeps as those of idle pools do.
    pthread_t thread;
    pthread_create(&thread, nullptr, sleeper, nullptr);
    if (is("long-loop")) long_loop<<<1, 1>>>(in, out, 10 * 1000 * 1000);
    if (is("barrier")) barrier<<<1, 32>>>();
    if (is("latch")) latch<<<1, 1>>>();
    if (is("counts")) counts_in_vain<<<1, 32>>>(out);
    if (is("runs-on")) runs_on<<<1, 32>>>(out);
    if (is("foreign")) foreign_lane<<<1, 32>>>();
    if (is("impatient")) impatient<<<2, 1>>>(in, in + 4, in + 8, atoi(argv[2]));
    if (is("anew")) begun_anew<<<1, 1>>>();
    if (is("queue") || is("queue-race")) {
        Queue begun = {0, 1, 0, 0, {3}}, *queue;
        cudaMalloc(&queue, sizeof(Queue));
        cudaMemcpy(queue, &begun, sizeof(Queue), cudaMemcpyHostToDevice);
        if (is("queue")) persistent<true><<<3, 32>>>(queue, 7);
        else persistent<false><<<3, 32>>>(queue, 7);
    }
    if (is("host")) {
        pthread_create(&thread, nullptr, helper, nullptr);
        waits_for_host<<<1, 1>>>(host, out);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    fflush(stdout);
    _exit(0);
}
