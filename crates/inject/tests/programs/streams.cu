// Streams, events, host functions, the legacy stream, and a kernel that waits for the host.
#include "check.h"
#include <atomic>
#include <pthread.h>

__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void wait_for(volatile int *flag, int *seen) {
    while (*flag == 0) {}
    __threadfence_system();
    *seen = *flag;
}

std::atomic<int> calls{0};
void note(void *data) { calls += *(int *)data; }
void note_with_status(cudaStream_t, cudaError_t status, void *) { calls += status == cudaSuccess ? 100 : 1000; }

void *other_thread(void *p) {
    OK(cudaSetDevice(0));
    add<<<1, 1, 0, cudaStreamPerThread>>>((int *)p, 1000);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    return nullptr;
}

int main() {
    int *p, h = 0, seven = 7;
    OK(cudaMalloc(&p, 4));
    OK(cudaMemset(p, 0, 4));
    cudaStream_t s, t;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    unsigned flags;
    int least, greatest;
    OK(cudaStreamGetFlags(t, &flags));
    EXPECT(flags == cudaStreamNonBlocking);
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest < least);
    cudaEvent_t start, stop, never;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaEventCreateWithFlags(&never, cudaEventDisableTiming));
    OK(cudaEventRecord(start, s));
    add<<<1, 1, 0, s>>>(p, 1);
    OK(cudaLaunchHostFunc(s, note, &seven));
    OK(cudaStreamAddCallback(s, note_with_status, nullptr, 0));
    OK(cudaEventRecord(stop, s));
    OK(cudaStreamWaitEvent(t, stop, 0));
    add<<<1, 1, 0, t>>>(p, 10);
    OK(cudaEventSynchronize(stop));
    EXPECT(calls == 107);
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0);
    OK(cudaEventQuery(never));
    FAILS(cudaEventElapsedTime(&ms, start, never), cudaErrorInvalidResourceHandle);
    FAILS(cudaStreamSynchronize((cudaStream_t)0x77), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    OK(cudaStreamSynchronize(t));
    OK(cudaStreamQuery(t));
    pthread_t thread;
    pthread_create(&thread, nullptr, other_thread, p);
    pthread_join(thread, nullptr);
    OK(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(h == 1011);
    // A kernel that only the host can release: the launch returns, and so does other streams' work.
    int *flag, *seen;
    OK(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    OK(cudaHostAlloc(&seen, 4, cudaHostAllocMapped));
    *flag = 0;
    wait_for<<<1, 1, 0, s>>>(flag, seen);
    FAILS(cudaStreamQuery(s), cudaErrorNotReady);
    cudaGetLastError();
    add<<<1, 1, 0, t>>>(p, 1);
    OK(cudaStreamSynchronize(t));
    *(volatile int *)flag = 5;
    OK(cudaStreamSynchronize(s));
    EXPECT(*seen == 5);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    std::puts("ok");
}
