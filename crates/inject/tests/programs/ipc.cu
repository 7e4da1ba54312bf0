// Two processes add to the same memory in turn. What orders the parent's two kernels is the child's work between
// them, which its own runtime does not see.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

const int N = 1000;

struct Handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

__global__ void add(int *numbers, int what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        numbers[i] += what;
}

static cudaStream_t stream() {
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static int child(int from, int to) {
    Handles handles;
    EXPECT(read(from, &handles, sizeof handles) == sizeof handles);
    int *numbers, *again;
    cudaEvent_t event;
    OK(cudaIpcOpenMemHandle((void **)&numbers, handles.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, handles.memory, cudaIpcMemLazyEnablePeerAccess));
    EXPECT(numbers == again);
    OK(cudaIpcCloseMemHandle(again));
    OK(cudaIpcOpenEventHandle(&event, handles.event));
    FAILS(cudaFree(numbers), cudaErrorInvalidValue);
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    cudaStream_t s = stream();
    OK(cudaStreamWaitEvent(s, event, 0));
    add<<<4, 256, 0, s>>>(numbers, 10);
    OK(cudaEventRecord(event, s));
    EXPECT(write(to, "x", 1) == 1);
    OK(cudaStreamSynchronize(s));
    OK(cudaEventDestroy(event));
    OK(cudaIpcCloseMemHandle(numbers));
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3)
        return child(atoi(argv[1]), atoi(argv[2]));
    int down[2], up[2];
    EXPECT(pipe(down) == 0 && pipe(up) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char from[12], to[12];
        snprintf(from, sizeof from, "%d", down[0]);
        snprintf(to, sizeof to, "%d", up[1]);
        execl("/proc/self/exe", argv[0], from, to, nullptr);
        _exit(9);
    }
    int *before, *numbers, got[N];
    OK(cudaMalloc(&before, 700));
    OK(cudaMalloc(&numbers, sizeof got));
    OK(cudaMemset(numbers, 0, sizeof got));
    Handles handles;
    cudaEvent_t event, plain;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaIpcGetMemHandle(&handles.memory, numbers));
    OK(cudaIpcGetEventHandle(&handles.event, event));
    OK(cudaEventCreate(&plain));
    FAILS(cudaIpcGetEventHandle(&handles.event, plain), cudaErrorInvalidResourceHandle);
    FAILS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaIpcGetEventHandle(&handles.event, event));
    cudaStream_t first = stream(), second = stream();
    OK(cudaDeviceSynchronize());
    add<<<4, 256, 0, first>>>(numbers, 1);
    OK(cudaEventRecord(event, first));
    EXPECT(write(down[1], &handles, sizeof handles) == sizeof handles);
    char said;
    EXPECT(read(up[0], &said, 1) == 1);
    OK(cudaStreamWaitEvent(second, event, 0));
    add<<<4, 256, 0, second>>>(numbers, 100);
    OK(cudaMemcpyAsync(got, numbers, sizeof got, cudaMemcpyDefault, second));
    OK(cudaEventSynchronize(event));
    OK(cudaEventQuery(event));
    OK(cudaStreamSynchronize(second));
    for (int i = 0; i < N; i++)
        EXPECT(got[i] == 111);
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    puts("ok");
}
