// Two kernels on two streams; an interprocess event is recorded between them, and nobody waits for it.
#include "check.h"
#include <unistd.h>

__global__ void put(int *number, int what) { *number = what; }

int main() {
    int *number;
    cudaStream_t first, second;
    cudaEvent_t event;
    OK(cudaMalloc(&number, sizeof *number));
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    put<<<1, 1, 0, first>>>(number, 1);
    OK(cudaEventRecord(event, first));
    // Long enough for the record to be reached.
    usleep(300000);
    put<<<1, 1, 0, second>>>(number, 2);
    OK(cudaDeviceSynchronize());
    puts("ok");
}
