//@ lens-ptx: clean
//@ run: --explore 20
// Clean: each hand-over waits for the one before it, by a latch, a semaphore, a barrier and `atomic_ref::wait`.
// All of these read the clock while they poll, which must not keep other schedules from ending.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cstdio>

constexpr int BLOCKS = 4, THREADS = 64;

using Latch = cuda::latch<cuda::thread_scope_device>;
using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ alignas(Latch) char latch_storage[sizeof(Latch)];
__device__ alignas(Semaphore) char semaphore_storage[sizeof(Semaphore)];
__device__ int turn;

__global__ void prepare() {
    new (latch_storage) Latch(BLOCKS);
    new (semaphore_storage) Semaphore(0);
}

__global__ void hand_over(int *first, int *second, int *third, int *sums) {
    auto *latch = reinterpret_cast<Latch *>(latch_storage);
    auto *semaphore = reinterpret_cast<Semaphore *>(semaphore_storage);
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    __shared__ int tile[THREADS];
    int b = blockIdx.x, t = threadIdx.x;
    if (t == 0) {
        init(&barrier, THREADS);
        first[b] = b + 1;
        latch->arrive_and_wait();
        second[b] = first[(b + 1) % BLOCKS];
        // Block 0 lets the others in, one after the other.
        if (b == 0)
            semaphore->release(BLOCKS - 1);
        else
            semaphore->acquire();
        cuda::atomic_ref<int, cuda::thread_scope_device> order(turn);
        for (int now = order.load(cuda::memory_order_acquire); now != b; now = order.load(cuda::memory_order_acquire))
            order.wait(now, cuda::memory_order_acquire);
        third[0] += second[b];
        order.store(b + 1, cuda::memory_order_release);
        order.notify_all();
    }
    __syncthreads();
    barrier.arrive_and_wait();
    tile[t] = b * THREADS + t;
    __syncthreads();
    if (t < BLOCKS)
        sums[b * BLOCKS + t] = tile[THREADS - 1 - t];
}

int main() {
    int *p;
    cudaMalloc(&p, 1024);
    cudaMemset(p, 0, 1024);
    prepare<<<1, 1>>>();
    hand_over<<<BLOCKS, THREADS>>>(p, p + 16, p + 32, p + 48);
    int third, sums[BLOCKS * BLOCKS];
    cudaMemcpy(&third, p + 32, sizeof third, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, p + 48, sizeof sums, cudaMemcpyDeviceToHost);
    bool right = third == BLOCKS * (BLOCKS + 1) / 2;
    for (int i = 0; i < BLOCKS * BLOCKS; i++)
        right &= sums[i] == i / BLOCKS * THREADS + THREADS - 1 - i % BLOCKS;
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
